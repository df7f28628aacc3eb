// Measures the page on the screen: returns texts that overlap, that are cut without a sign, that leave their box, or
// that are hard to read (WCAG AA), as lines for people.
(() => {
  const canvasTexts = [];
  const fillText = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function record(text, x, y, ...rest) {
    if (this.canvas.isConnected) canvasTexts.push({ canvas: this.canvas, text, x, y, width: this.measureText(text).width, transform: this.getTransform() });
    return fillText.call(this, text, x, y, ...rest);
  };

  const color = (text) => {
    const numbers = (text.match(/-?[\d.]+(e-?\d+)?%?/g) ?? []).map(Number);
    const factor = text.startsWith('color(') ? 255 : 1;
    return numbers.length < 3 ? [0, 0, 0, 0] : [numbers[0] * factor, numbers[1] * factor, numbers[2] * factor, numbers[3] ?? 1];
  };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const luminance = (rgb) => {
    const [red, green, blue] = rgb.map((each) => (each / 255 <= 0.04045 ? each / 255 / 12.92 : ((each / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (a, b) => {
    const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (light + 0.05) / (dark + 0.05);
  };
  const colorBelow = (element) => {
    const layers = [];
    for (let each = element; each; each = each.parentElement) {
      const found = color(getComputedStyle(each).backgroundColor);
      if (found[3] > 0) layers.push(found);
      if (found[3] === 1) break;
    }
    return layers.reduceRight((below, layer) => over(layer, below), [255, 255, 255, 1]);
  };
  const meet = (a, b) => ({ left: Math.max(a.left, b.left), right: Math.min(a.right, b.right), top: Math.max(a.top, b.top), bottom: Math.min(a.bottom, b.bottom) });
  const isSeen = (box) => box.right - box.left > 1 && box.bottom - box.top > 1;

  /** What of an element can be seen, and whether a box that cannot be scrolled cuts it without a sign. */
  function clipOf(element) {
    let clip = { left: 0, right: innerWidth, top: 0, bottom: innerHeight };
    const hard = [];
    let isSticky = false;
    let scrolls = false;
    for (let each = element; each; each = each.parentElement) {
      const style = getComputedStyle(each);
      if (style.position === 'fixed') break;
      isSticky ||= style.position === 'sticky';
      if (style.overflowX === 'visible' && style.overflowY === 'visible') continue;
      const box = each.getBoundingClientRect();
      clip = meet(clip, { left: style.overflowX === 'visible' ? -1e9 : box.left, right: style.overflowX === 'visible' ? 1e9 : box.right,
        top: style.overflowY === 'visible' ? -1e9 : box.top, bottom: style.overflowY === 'visible' ? 1e9 : box.bottom });
      if (style.overflowX === 'auto' || style.overflowX === 'scroll') {
        scrolls = true;
        break;
      }
      hard.push({ box, hasSign: style.textOverflow === 'ellipsis' });
    }
    return { clip, hard, isSticky, scrolls };
  }

  function pageTexts() {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const parent = node.parentElement;
      if (!node.data.trim() || !parent || parent.closest('.off-screen, [hidden], noscript, script, option, dialog:not([open])')) continue;
      if (!parent.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true })) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const boxes = [...range.getClientRects()].filter(isSeen);
      if (boxes.length) found.push({ node, parent, boxes, text: node.data.trim().slice(0, 50) });
    }
    return found;
  }

  function measurePage(problems) {
    const placed = [];
    for (const { node, parent, boxes, text } of pageTexts()) {
      const { clip, hard, isSticky, scrolls } = clipOf(parent);
      const seen = boxes.map((box) => meet(box, clip)).filter(isSeen);
      if (!seen.length) continue;
      for (const box of boxes) {
        const cut = hard.find((each) => box.right > each.box.right + 1 || box.left < each.box.left - 1);
        if (cut && !hard.some(({ hasSign }) => hasSign)) problems.push(`cut: ${text}`);
        if (!cut && !scrolls && (box.right > innerWidth + 1 || box.left < -1)) problems.push(`outside of the window: ${text}`);
      }
      const style = getComputedStyle(parent);
      const back = colorBelow(parent);
      const found = contrast(over(color(style.color), back), back);
      const size = parseFloat(style.fontSize);
      const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      const isExempt = parent.closest(':disabled') !== null;
      if (found < (isLarge ? 3 : 4.5) && !isExempt) problems.push(`contrast ${found.toFixed(2)}: ${text}`);
      if (!isSticky) for (const box of seen) placed.push({ node, box, text });
    }
    overlaps(placed, problems);
  }

  function overlaps(placed, problems) {
    placed.sort((a, b) => a.box.top - b.box.top);
    placed.forEach((a, i) => {
      for (let k = i + 1; k < placed.length && placed[k].box.top < a.box.bottom - 3; k += 1) {
        const b = placed[k];
        const common = meet(a.box, b.box);
        if (a.node !== b.node && common.right - common.left > 2 && common.bottom - common.top > 3) problems.push(`overlap: ${a.text} | ${b.text}`);
      }
    });
  }

  function measureCanvases(problems) {
    canvasTexts.length = 0;
    window.__view.draw();
    const placed = canvasTexts.map(({ canvas, text, x, y, width, transform }) => {
      const left = x * transform.a + transform.e;
      const bottom = y * transform.d + transform.f;
      if (left + width > canvas.width + 1) problems.push(`outside of the canvas: ${text}`);
      return { node: canvas, text, box: { left, right: left + width, top: bottom - 9, bottom: bottom + 2 }, canvas };
    });
    for (const canvas of new Set(placed.map((each) => each.canvas))) {
      overlaps(placed.filter((each) => each.canvas === canvas).map((each) => ({ ...each, node: {} })), problems);
    }
  }

  window.__measure = () => {
    const problems = [];
    measurePage(problems);
    if (window.__view.page === 'timeline') measureCanvases(problems);
    return [...new Set(problems)];
  };
})();
