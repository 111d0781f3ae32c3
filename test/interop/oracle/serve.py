"""Serve the judge on a free port, and print which."""

import socket

import uvicorn
from app import app

if __name__ == "__main__":
    # Only of a socket that says it is TCP does asyncio send small packets at once (TCP_NODELAY); of
    # any other it makes each answer wait 40 ms.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    # Before a caller reads the port: it may call at once.
    listener.listen(1024)
    print(listener.getsockname()[1], flush=True)
    # The parser and the loop are named, so that the answers do not depend on what else is installed.
    config = uvicorn.Config(app, log_level="critical", http="httptools", loop="asyncio")
    uvicorn.Server(config).run(sockets=[listener])
