"""Two processes that ask and answer each other through pipes all the time. Prints a line when they do."""
import os

question, asks = os.pipe()
answer, answers = os.pipe()
if os.fork() == 0:
    while True:
        os.read(question, 1)
        os.write(answers, b"a")
print("ready", flush=True)
while os.write(asks, b"q"):
    os.read(answer, 1)
