"""The application of gunicorn: web:application"""


def application(_environment, start_response):
    body = b"".join(b"%d\n" % (i * i) for i in range(100))
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
    return [body]
