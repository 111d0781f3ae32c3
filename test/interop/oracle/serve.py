"""Serve the judge on a free port, and print which."""

import socket

import uvicorn
from app import app

if __name__ == "__main__":
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="critical")).run(sockets=[listener])
