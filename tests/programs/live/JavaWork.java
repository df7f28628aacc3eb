// Computes in sumUp() until a line arrives on stdin, then prints one.
public class JavaWork {
  static double sumUp(int count) {
    double sum = 0;
    for (int i = 1; i < count; i++) sum += Math.sqrt(i) / (i % 7 + 1);
    return sum;
  }

  public static void main(String[] arguments) throws Exception {
    double sum = 0;
    for (int i = 0; i < 2000; i++) sum += sumUp(20000);
    System.out.println("ready");
    while (System.in.available() == 0) sum += sumUp(20000);
    System.out.println(sum > 0 ? "done" : "");
  }
}
