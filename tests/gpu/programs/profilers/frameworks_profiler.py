"""torch.profiler as frameworks use it: around a compiled module, by Lightning's Trainer, by Transformers' Trainer. Prints
for each the kernels that the profiler saw, by number. The folder for their files is the argument."""
import json
import logging
import sys
import warnings
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
ACTIVITIES = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
DATA = torch.utils.data.TensorDataset(torch.randn(64, 32), torch.randn(64, 8))


def kernels(profiler):
    return sum(event.device_type == torch.autograd.DeviceType.CUDA and not event.name.startswith(("Mem", "Optim"))
               for event in profiler.events())


def compiled(_):
    net = torch.compile(torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.GELU(), torch.nn.Linear(64, 8)).cuda())
    batch = torch.randn(16, 32, device="cuda")
    for _ in range(3):
        net(batch).sum().backward()
    torch.cuda.synchronize()
    with profile(activities=ACTIVITIES) as profiler:
        for _ in range(5):
            net(batch).sum().backward()
        torch.cuda.synchronize()
    return kernels(profiler)


def lightning(folder):
    import lightning
    from lightning.pytorch.profilers import PyTorchProfiler

    class Model(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = torch.nn.Linear(32, 8)

        def training_step(self, batch, _):
            return torch.nn.functional.mse_loss(self.net(batch[0]), batch[1])

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.01)

    profiler = PyTorchProfiler(dirpath=folder, filename="lightning", activities=ACTIVITIES,
                               schedule=torch.profiler.schedule(wait=1, warmup=1, active=3), export_to_chrome=True)
    trainer = lightning.Trainer(max_epochs=1, accelerator="gpu", devices=1, profiler=profiler, logger=False,
                                enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
                                default_root_dir=folder)
    trainer.fit(Model(), torch.utils.data.DataLoader(DATA, batch_size=8))
    return [sum(event.get("cat") == "kernel" for event in json.loads(path.read_text())["traceEvents"])
            for path in sorted(folder.glob("*.json"))]


def transformers(folder):
    import transformers

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.net = torch.nn.Linear(32, 8)

        def forward(self, inputs, labels):
            return {"loss": torch.nn.functional.mse_loss(self.net(inputs), labels)}

    class Steps(transformers.TrainerCallback):
        def __init__(self, profiler):
            self.profiler = profiler

        def on_step_end(self, *_, **__):
            self.profiler.step()

    options = transformers.TrainingArguments(output_dir=str(folder), per_device_train_batch_size=8, max_steps=8,
                                             report_to=[], save_strategy="no", disable_tqdm=True,
                                             logging_strategy="no")
    rows = [{"inputs": data, "labels": label} for data, label in DATA]
    with profile(activities=ACTIVITIES, schedule=torch.profiler.schedule(wait=1, warmup=1, active=4)) as profiler:
        transformers.Trainer(Model(), options, train_dataset=rows, callbacks=[Steps(profiler)]).train()
    return kernels(profiler)


def main():
    folder = Path(sys.argv[1])
    torch.manual_seed(0)
    print(json.dumps({use.__name__: use(folder) for use in (compiled, lightning, transformers)}))


main()
