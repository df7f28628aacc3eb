import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.atomic.*;
import java.util.zip.*;

/**
 * A server of threads with garbage, safepoints, exceptions for null pointers (signals) and native calls. Prints its
 * port, ends with status 7 at the end of its input, and then prints how many requests it answered and how often
 * something went wrong.
 */
public class Server {
    static final AtomicLong answered = new AtomicLong(), wrong = new AtomicLong();

    static long answerTo(long number) {
        long value = 1469598103934665603L;
        for (int i = 0; i < 8; ++i) value = (value ^ (number >>> (8 * i) & 255)) * 1099511628211L;
        return value & 0x7fffffffffffffffL;
    }

    static void serve(Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
            OutputStream out = socket.getOutputStream();
            for (String line; (line = in.readLine()) != null; ) {
                answered.incrementAndGet();
                out.write((answerTo(Long.parseLong(line)) + "\n").getBytes());
            }
        } catch (IOException ended) {
        }
    }

    static void churn(int seed) {
        Random random = new Random(seed);
        for (;;) {
            Map<Integer, byte[]> map = new HashMap<>();
            for (int i = 0; i < 2000; ++i) map.put(i, new byte[random.nextInt(500)]);
            CRC32 crc = new CRC32();
            crc.update(map.get(7));
            String[] texts = new String[2];
            int caught = 0;
            for (int i = 0; i < 100; ++i)
                try {
                    texts[i % 2].length();
                } catch (NullPointerException expected) {
                    ++caught;
                }
            if (caught != 100 || map.size() != 2000) wrong.incrementAndGet();
            try {
                Thread.sleep(2);
            } catch (InterruptedException unexpected) {
                wrong.incrementAndGet();
            }
        }
    }

    public static void main(String[] words) throws Exception {
        ServerSocket listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        for (int i = 0; i < 3; ++i) {
            int seed = i;
            Thread thread = new Thread(() -> churn(seed));
            thread.setDaemon(true);
            thread.start();
        }
        Thread accepting = new Thread(() -> {
            for (;;)
                try {
                    Socket socket = listener.accept();
                    Thread thread = new Thread(() -> serve(socket));
                    thread.setDaemon(true);
                    thread.start();
                } catch (IOException ended) {
                    return;
                }
        });
        accepting.setDaemon(true);
        accepting.start();
        System.out.println(listener.getLocalPort());
        while (System.in.read() >= 0) {
        }
        System.out.println("answered " + answered + " wrong " + wrong);
        System.exit(7);
    }
}
