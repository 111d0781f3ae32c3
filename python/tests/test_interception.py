from __future__ import annotations

import os
import socket
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from conftest import Run, add_settings

from svtrain_emulator import Emulator

UNCHANGED = """
    import os
    import urllib.request

    import httpx

    URL = "https://api.training.wandb.ai/v1/preview/base-models"


    def headers(key=None):
        return {"Authorization": f"Bearer {key or os.environ['WANDB_API_KEY']}"}


    def list_models():
        return httpx.get(URL, headers=headers()).raise_for_status().json()


    def list_with_urllib():
        with urllib.request.urlopen(urllib.request.Request(URL, headers=headers())) as answer:
            return answer.status
"""
"""A program that names no address of an emulator."""


@pytest.fixture(autouse=True)
def real_variables(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program in the project, with the key of its user and variables that lead past an emulator."""
    project.makepyfile(program=UNCHANGED)
    monkeypatch.setenv("WANDB_API_KEY", "a-real-key-of-the-user-that-must-never-leave")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.invalid:3128")
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)


def test_a_program_that_names_no_address_reaches_the_world_of_the_test(run: Run) -> None:
    result = run("""
        import os
        import program

        REAL = dict(os.environ)

        @pytest.mark.svtrain(intercept=True)
        def test_intercepted(svtrain):
            program.list_models()
            assert program.list_with_urllib() == 200
            assert svtrain.requests.count("listBaseModels") == 2
            assert os.environ["WANDB_API_KEY"] == svtrain.api_key
            assert "real-key" not in " ".join(os.environ.values())
            (called,) = svtrain.called_hosts()
            assert (called.host, called.answered) == ("api.training.wandb.ai", 2)

        @pytest.mark.svtrain(intercept=True)
        def test_has_a_world_of_its_own(svtrain):
            assert svtrain.requests.count("listBaseModels") == 0
            assert svtrain.called_hosts() == []

        def test_everything_is_undone():
            changed = {name for name, _ in os.environ.items() ^ REAL.items()}
            assert changed <= {"PYTEST_CURRENT_TEST", "PYTEST_VERSION"}
        """)
    result.assert_outcomes(passed=3)


def test_the_marker_alone_is_enough_and_comes_before_other_fixtures(run: Run) -> None:
    result = run("""
        import program

        @pytest.fixture(scope="module")
        def client():
            with httpx.Client(headers=program.headers("a-key-of-its-own")) as made:
                yield made

        @pytest.mark.svtrain(intercept=True)
        def test_without_the_fixture(client):
            assert client.get(program.URL).status_code == 200

        @pytest.mark.svtrain(intercept=True)
        def test_with_the_same_client(client, svtrain):
            assert client.get(program.URL).status_code == 200
            assert svtrain.requests.count("listBaseModels") == 1
        """)
    result.assert_outcomes(passed=2)


def test_other_hosts_are_refused_unless_the_test_allows_them(run: Run) -> None:
    result = run("""
        @pytest.mark.svtrain(intercept=True)
        def test_refused(svtrain):
            httpx.get("https://elsewhere.invalid")

        @pytest.mark.svtrain(intercept=True, allow_hosts_out=["elsewhere.invalid"])
        def test_allowed(svtrain):
            with pytest.raises(httpx.ProxyError, match="cannot reach elsewhere.invalid"):
                httpx.get("https://elsewhere.invalid")
            assert [each.host for each in svtrain.called_hosts() if each.refused] == []
        """)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*ProxyError: 403 svtrain-emulator refuses elsewhere.invalid. It is not intercepted, and "
            "no option allows it; to allow it: @pytest.mark.svtrain(intercept=True, "
            'allow_hosts_out=?"elsewhere.invalid"?); to answer its chats: --intercept documented '
            "--intercept inference=*",
            "Hosts that the test called:",
            "  elsewhere.invalid  1 refused; to allow it: @pytest.mark.svtrain(*",
        ]
    )


SESSION = """
    import os

    import program

    # Made while pytest imports this module, as clients of modules are.
    CLIENT = httpx.Client(headers=program.headers())
    KEY = os.environ["WANDB_API_KEY"]

    def teardown_module():
        CLIENT.close()

    @pytest.mark.parametrize("number", range(6))
    def test_one(svtrain, number):
        for _ in range(number):
            assert CLIENT.get(program.URL).status_code == 200
        assert svtrain.requests.count("listBaseModels") == number
        assert os.environ["WANDB_API_KEY"] == svtrain.api_key

    def test_without_the_emulator():
        assert program.list_models()
        assert os.environ["WANDB_API_KEY"] == KEY
        assert "real-key" not in KEY
"""


@pytest.mark.parametrize("arguments", [[], ["-n", "2"]], ids=["alone", "xdist"])
def test_a_project_can_intercept_the_whole_session(
    project: pytest.Pytester, run: Run, arguments: list[str]
) -> None:
    add_settings(project, "svtrain_intercept = true")
    # Imported before the tests, and before the plugin is configured.
    project.makeconftest("import program; MODELS = program.list_models()")
    result = run(SESSION, *arguments)
    result.assert_outcomes(passed=7)
    assert "real-key" in os.environ["WANDB_API_KEY"]
    assert os.environ["HTTPS_PROXY"] == "http://proxy.invalid:3128"


def test_a_project_chooses_the_addresses_and_the_hosts(project: pytest.Pytester, run: Run) -> None:
    add_settings(
        project,
        'svtrain_addresses = ["training=https://gateway.invalid/llm/v1", "inference=https://judge.invalid/v1"]',
        'svtrain_allow_hosts_out = ["elsewhere.invalid"]',
    )
    result = run("""
        import program

        @pytest.mark.filterwarnings("ignore:1 chat of gpt-4.1 got invented text")
        @pytest.mark.svtrain(intercept=True, allow_hosts_out=["nowhere.invalid"])
        def test_it(svtrain):
            url = "https://gateway.invalid/llm/v1/health"
            assert httpx.get(url, headers=program.headers()).status_code == 200
            chat = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "Guess."}]}
            url = "https://judge.invalid/v1/chat/completions"  # Any model name, as by exec.
            assert httpx.post(url, json=chat, headers=program.headers()).status_code == 200
            for host in ["elsewhere", "nowhere"]:
                with pytest.raises(httpx.ProxyError, match="cannot reach"):
                    httpx.get(f"https://{host}.invalid")
            with pytest.raises(httpx.ProxyError, match='"documented" in svtrain_addresses'):
                program.list_models()
        """)
    result.assert_outcomes(passed=1)


def test_a_port_of_this_machine_is_answered_and_its_other_ports_are_left_alone(
    project: pytest.Pytester, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.makefile(".txt", other="elsewhere")
    files = partial(SimpleHTTPRequestHandler, directory=project.path)
    with socket.socket() as free, ThreadingHTTPServer(("127.0.0.1", 0), files) as other:
        free.bind(("127.0.0.1", 0))
        # Nothing listens there: the socket only keeps the port.
        port = free.getsockname()[1]
        threading.Thread(target=other.serve_forever, daemon=True).start()
        monkeypatch.setenv("OTHER", f"http://localhost:{other.server_port}/other.txt")
        monkeypatch.setenv("NAMED", f"localhost:{port}")
        add_settings(project, f'svtrain_addresses = ["inference=http://localhost:{port}/v1"]')
        result = run("""
            import http.client
            import os
            import urllib.request

            import program

            NAMED = os.environ["NAMED"]
            MODELS = f"http://{NAMED}/v1/models"

            @pytest.mark.svtrain(intercept=True)
            def test_caught(svtrain):
                for url in [MODELS, MODELS.replace("localhost", "127.0.0.1")]:
                    assert httpx.get(url, headers=program.headers()).json()["object"] == "list"
                    asked = urllib.request.Request(url, headers=program.headers())
                    with urllib.request.urlopen(asked) as answer:
                        assert answer.status == 200
                assert svtrain.requests.count("listServedModels") == 4
                own = f"{svtrain.inference_url}/models"
                assert httpx.get(own, headers=program.headers()).status_code == 200
                assert httpx.get(os.environ["OTHER"]).text == "elsewhere"
                with urllib.request.urlopen(os.environ["OTHER"]) as answer:
                    assert answer.read() == b"elsewhere"
                (called,) = svtrain.called_hosts()
                assert (called.host, called.answered) == (NAMED, 4)

            @pytest.mark.svtrain(intercept=True)
            def test_cannot_be_caught(svtrain):
                http.client.HTTPConnection(NAMED).request("GET", "/v1/models")
            """)
        other.shutdown()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["*ConnectionRefusedError*", "No host was called through the proxy. A client that uses no*"]
    )


def test_an_emulator_intercepts_without_pytest() -> None:
    import httpx

    url = "https://api.training.wandb.ai/v1/health"
    with Emulator() as emulator:
        with emulator.intercept():
            bundle = os.environ["SSL_CERT_FILE"]
            headers = {"Authorization": "Bearer any-key"}
            assert httpx.get(url, headers=headers).status_code == 200
        assert os.environ["HTTPS_PROXY"] == "http://proxy.invalid:3128"
        assert [each.answered for each in emulator.called_hosts()] == [1]
    assert not Path(bundle).exists()
