"""Stands between a client and the emulator, and checks every answer with the strict models of openai."""

import http.client
import json
import os
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Iterator
from urllib.parse import urlsplit

from openai.types.chat import ChatCompletion, ChatCompletionChunk
from pydantic import BaseModel, Field

INFERENCE_URL = os.environ["SVTRAIN_INFERENCE_URL"]
KEY = os.environ["SVTRAIN_API_KEY"]
BASE_MODEL = "example/base-8b-instruct"

QUESTION = "How is the weather in Rome?"


class City(BaseModel):
    """A city, and for how many days."""

    city: str
    days: int = Field(ge=1, le=7)


WEATHER = {
    "type": "function",
    "function": {"name": "get_weather", "parameters": City.model_json_schema()},
}


class Recorder:
    """What a client asked, and what it was answered, as bytes."""

    def __init__(self) -> None:
        self.asked: list[dict] = []
        self.answers: list[tuple[int, str, bytes]] = []
        self.url = ""

    def check(self) -> None:
        """Fails unless each answer is what the types of openai say, without any conversion."""
        assert self.answers, "the client asked nothing"
        for status, content_type, body in self.answers:
            assert status == 200, (status, body)
            if content_type.startswith("text/event-stream"):
                check_stream(body)
            else:
                assert content_type == "application/json", content_type
                ChatCompletion.model_validate_json(body, strict=True)


def check_stream(body: bytes) -> None:
    *events, rest = body.decode().split("\n\n")
    assert rest == "" and events[-1] == "data: [DONE]", events[-1]
    chunks = [
        ChatCompletionChunk.model_validate_json(event.removeprefix("data: "), strict=True)
        for event in events[:-1]
    ]
    assert len({chunk.id for chunk in chunks}) == 1
    finished = [choice.finish_reason for chunk in chunks for choice in chunk.choices]
    assert [each for each in finished if each is not None], "no choice has ended"


@contextmanager
def recording() -> Iterator[Recorder]:
    """A recorder that listens, and checks all answers at the end."""
    recorder = Recorder()
    upstream = urlsplit(INFERENCE_URL)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            recorder.asked.append(json.loads(body))
            connection = http.client.HTTPConnection(upstream.hostname, upstream.port)
            headers = {
                name: value
                for name, value in self.headers.items()
                if name.lower() not in ("host", "content-length", "accept-encoding")
            }
            connection.request("POST", self.path, body, headers)
            answer = connection.getresponse()
            content_type = answer.headers["content-type"]
            self.send_response(answer.status)
            self.send_header("content-type", content_type)
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            received = b""
            while piece := answer.read1():
                received += piece
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            recorder.answers.append((answer.status, content_type, received))
            self.wfile.write(b"0\r\n\r\n")
            connection.close()

        def log_message(self, *_args) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    recorder.url = f"http://127.0.0.1:{server.server_port}{upstream.path}"
    try:
        yield recorder
        recorder.check()
    finally:
        server.shutdown()
        server.server_close()
