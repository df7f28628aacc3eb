"""An HTTP server with a thread for each client, under a small load. A child process is the client."""
import http.server
import subprocess
import sys
import threading

CLIENT = """
import http.client, sys
for number in range(30):
    connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
    connection.request("GET", f"/{number}")
    assert connection.getresponse().read() == b"hello\\n"
    connection.close()
"""


class Hello(http.server.BaseHTTPRequestHandler):
    def do_GET(self):  # pylint: disable=invalid-name
        self.send_response(200)
        self.send_header("Content-Length", "6")
        self.end_headers()
        self.wfile.write(b"hello\n")

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hello) as server:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    subprocess.run([sys.executable, "-S", "-c", CLIENT, str(server.server_address[1])], check=True)
    server.shutdown()
