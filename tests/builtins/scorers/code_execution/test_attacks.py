"""What a hostile program tries, each with a sandbox and, where limits are to stop it, with limits alone."""

from __future__ import annotations

import asyncio
import os
import platform
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest
from steelyard_builtins.scorers import code_execution as plugin
from steelyard_builtins.scorers._code_syscalls import syscall_filter
from steelyard_builtins.scorers.code_execution import CodeExecutionSettings

from steelyard.testing import make_case, make_context, make_output

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the attacks are Linux programs")

SECRET = "sk-this-is-a-key"


@pytest.fixture
def word():
    """A word that stands in the command line of what an attack starts."""
    return f"attack-{secrets.token_hex(8)}"


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """Where temporary folders are made, so that a test can see what is left."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_no_key_is_in_the_environment(attack, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)

    found = attack("import os; print(dict(os.environ))", environ={"ANTHROPIC_API_KEY": SECRET, **os.environ})

    assert found.passed
    assert SECRET not in found.details["output"]
    assert "API_KEY" not in found.details["output"]


EVERY_ENVIRONMENT = """
import glob
for name in glob.glob("/proc/[0-9]*/environ"):
    try:
        print(name, open(name, "rb").read())
    except OSError as error:
        print(name, error)
"""


@pytest.mark.usefixtures("bwrap")
def test_no_key_is_in_the_environment_of_another_process(score):
    # setenv in this process does not change what /proc shows of it, so a process that has the key is started.
    with subprocess.Popen(["sleep", "60"], env={**os.environ, "OPENAI_API_KEY": SECRET}) as other:
        try:
            found = score(EVERY_ENVIRONMENT, isolation="required")
        finally:
            other.kill()

    assert "/proc/1/environ" in found.details["output"]
    assert SECRET not in found.details["output"]


@pytest.mark.usefixtures("bwrap")
def test_no_file_of_the_project_or_of_the_user_can_be_read(score, tmp_path, monkeypatch):
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for path in (tmp_path / ".env", home / "credentials"):
        path.write_text(SECRET, encoding="utf-8")
    names = [str(tmp_path / ".env"), str(home / "credentials"), str(Path(__file__)), "/etc/passwd", "/etc/shadow"]

    found = score(f"for name in {names!r}:\n  try: print(open(name).read())\n  except OSError as e: print('refused')")

    assert found.details["output"].split() == ["refused"] * len(names)


@pytest.mark.usefixtures("bwrap")
def test_a_project_inside_a_system_folder_is_covered(tmp_path):
    context = make_context(Path("/usr/share"))
    (spec,) = plugin.steelyard_register_scorers()
    scorer = spec.create(CodeExecutionSettings(language="bash", isolation="required"), context)

    found = asyncio.run(scorer.score(make_case(), make_output("ls -A /usr/share | wc -l; ls /usr/bin | wc -l"), None))
    shared, programs = map(int, found.details["output"].split())

    assert shared == 0
    assert programs > 10


CONNECT = """
import socket
for family, address in [(socket.AF_INET, ("127.0.0.1", {port})), (socket.AF_UNIX, {name!r})]:
    try:
        with socket.socket(family) as client:
            client.settimeout(3)
            client.connect(address)
            client.send(b"hello")
            print("reached")
    except OSError as error:
        print("refused")
"""


@pytest.mark.usefixtures("bwrap")
def test_the_network_cannot_be_reached(score, word):
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        local.bind(f"\0{word}")  # a name that is on no disk, so that folders do not protect it
        local.listen()
        for one in (server, local):
            one.settimeout(0)
        port = server.getsockname()[1]

        found = score(CONNECT.format(port=port, name=f"\0{word}"), isolation="required")

        assert found.details["output"].split() == ["refused", "refused"]
        for one in (server, local):
            with pytest.raises(BlockingIOError):
                one.accept()


def test_the_listening_sockets_of_that_test_could_be_reached(score, word):
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        local.bind(f"\0{word}")
        local.listen()
        port = server.getsockname()[1]

        found = score(CONNECT.format(port=port, name=f"\0{word}"), isolation="none")

    assert found.details["output"].split() == ["reached", "reached"]


@pytest.mark.parametrize(
    "program", ["while True: pass", "import time; time.sleep(1000)", "import signal; signal.pause()"], ids=str
)
def test_a_program_without_end_is_stopped_at_its_time(attack, program):
    started = time.monotonic()

    found = attack(program, timeout_ms=500)

    assert time.monotonic() - started < 10
    assert not found.passed
    assert found.reason == "stopped: the program took longer than 0.5 s"


def test_a_program_that_ignores_signals_is_stopped_as_well(attack):
    program = (
        "import signal\nfor n in set(signal.valid_signals()) - {9, 19}: signal.signal(n, signal.SIG_IGN)\nwhile 1: 1"
    )

    assert attack(program, timeout_ms=500).reason == "stopped: the program took longer than 0.5 s"


def test_standard_input_is_at_its_end(attack):
    found = attack("input()", timeout_ms=60_000)

    assert "EOFError" in found.reason


FORK_BOMB = """
import os, sys
made = 0
while made < 3000:
    try:
        if os.fork() == 0:
            os.execv("/bin/sleep", [{word!r}, "300"])
        made += 1
    except OSError:
        break
print(made)
"""


def test_a_fork_bomb_stays_small_and_nothing_is_left_of_it(attack, processes, word):
    found = attack(FORK_BOMB.format(word=word), timeout_ms=20_000)

    if found.passed:
        # What the system refused: the limit counts what is there already where the user is not ours alone.
        assert int(found.details["output"]) <= 64
    else:
        assert found.reason == "stopped: the program ran more than 64 processes"
    assert processes(word) == []


MEMORY_HOGS = {
    "alone": "hog = []\nwhile True: hog.append(bytearray(8 * 1024 * 1024))",
    "shared": "import mmap\nhog = []\nwhile True:\n  m = mmap.mmap(-1, 2**23); m.write(b'x' * 2**23); hog.append(m)",
    "held for a child": """
import mmap, os, time
held = []
for _ in range(8):
    held.append(mmap.mmap(-1, 2**25))
    if os.fork() == 0:
        for place in range(0, 2**25, 4096): held[-1][place] = 1
        os._exit(0)
    os.wait()
time.sleep(15)
""",
    "many": "import os, time\nfor _ in range(20):\n  if os.fork() == 0: x = b'x' * 2**25; time.sleep(9)\ntime.sleep(9)",
}


@pytest.mark.parametrize("hog", MEMORY_HOGS.values(), ids=MEMORY_HOGS)
def test_a_memory_hog_is_stopped_alone_and_with_its_children(attack, hog):
    found = attack(hog, memory_mb=128, timeout_ms=20_000)

    assert not found.passed
    assert "MemoryError" in found.reason or found.reason == "stopped: the program used more than 128 MB of memory"


DISK_FILLERS = {
    "one file": "with open('big', 'wb') as file:\n  while True: file.write(b'x' * 2**20)",
    "many files": "import time\nfor n in range(64): open(str(n), 'wb').write(b'x' * 2**20)\ntime.sleep(9)",
    "tiny files": "for n in range(10**7): open(str(n), 'wb').close()",
}


@pytest.mark.parametrize("filler", DISK_FILLERS.values(), ids=DISK_FILLERS)
def test_a_disk_filler_is_stopped_and_nothing_is_left_of_it(attack, filler, temporary):
    found = attack(filler, disk_mb=4, timeout_ms=20_000)

    assert not found.passed
    assert any(
        said in found.reason
        for said in ("File too large", "No space left", "wrote more than 4 MB", "made more than 10000 files")
    )
    assert list(temporary.iterdir()) == []


HIDDEN_STORES = {
    "anonymous files": "import os\nos.memfd_create('store')",
    "System V segments": "import ctypes\nassert ctypes.CDLL(None).shmget(0, 2**20, 0o1600) != -1",
    "System V queues": "import ctypes\nassert ctypes.CDLL(None).msgget(0, 0o1600) != -1",
    "a file system of its own": "import subprocess\nsubprocess.run(['unshare', '-Urm', 'true'], check=True)",
    "a namespace by clone": "import ctypes\nassert ctypes.CDLL(None).syscall(CLONE, 0x10000011, 0, 0, 0, 0) != -1",
}


@pytest.mark.usefixtures("bwrap")
@pytest.mark.skipif(not syscall_filter(), reason="no filter is known for this processor")
@pytest.mark.parametrize("store", HIDDEN_STORES.values(), ids=HIDDEN_STORES)
def test_there_is_no_memory_that_no_limit_counts(score, store):
    clone = {"x86_64": 56}.get(platform.machine(), 220)

    found = score(store.replace("CLONE", str(clone)), isolation="required")

    assert not found.passed
    assert any(word in found.reason for word in ("Error", "exit code"))


@pytest.mark.usefixtures("bwrap")
@pytest.mark.skipif(not syscall_filter(), reason="no filter is known for this processor")
def test_no_key_ring_and_no_machine_around_this_one_can_be_reached(score):
    keyctl = {"x86_64": 250}.get(platform.machine(), 219)
    program = f"""
import ctypes, errno, socket
libc = ctypes.CDLL(None, use_errno=True)
print(libc.syscall({keyctl}, 0, -3, 0), errno.errorcode[ctypes.get_errno()])
for family in (40, 38, 17):  # the host of a virtual machine, the kernel's ciphers, raw packets
    try:
        print("made", socket.socket(family, socket.SOCK_STREAM))
    except OSError as error:
        print(errno.errorcode[error.errno])
socket.socketpair()
socket.socket(socket.AF_INET, socket.SOCK_STREAM)
"""

    found = score(program, isolation="required")

    assert found.passed, found.reason
    assert found.details["output"].split() == ["-1", "ENOSYS", *["EAFNOSUPPORT"] * 3]


@pytest.mark.usefixtures("bwrap")
def test_a_disk_filler_finds_no_room_elsewhere(score):
    program = """
import os
for folder in ("/tmp", "/dev/shm", "/dev", "/", "/proc", "/usr", "/root", "/var/tmp", "/run", "/home"):
    size = 0
    try:
        for number in range(64):
            with open(f"{folder}/filler-{number}", "wb") as file:
                size += file.write(b"x" * 2**20)
    except OSError as error:
        print(folder, size // 2**20)
    else:
        print(folder, "all of it")
"""
    found = score(program, isolation="required", disk_mb=4)
    written = dict(line.split(maxsplit=1) for line in found.details["output"].splitlines())

    assert all(int(size) <= 4 for size in written.values())


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_an_endless_output_is_stopped_and_cut(attack, stream):
    found = attack(f"import sys\nwhile True: print('x' * 10**6, file=sys.{stream})", output_kb=64)

    assert found.reason == "stopped: the program printed more than 64 KB"
    assert len(found.details["output"]) + len(found.details["errors"]) < 10_000


@pytest.mark.usefixtures("bwrap")
def test_nothing_can_be_written_outside(score, tmp_path):
    names = [str(tmp_path / "planted"), str(Path(__file__).with_name("planted")), "/usr/planted", "/etc/planted"]
    names += [f"{sys.prefix}/planted", f"{sys.base_prefix}/lib/planted", "/planted"]
    program = f"""
import os
for name in {names!r}:
    try:
        os.makedirs(os.path.dirname(name), exist_ok=True)
        open(name, "w").close()
    except OSError: pass
"""
    score(program, isolation="required")

    assert [name for name in names if Path(name).exists()] == []


def test_a_program_that_kills_its_group_kills_nobody_else(attack):
    found = attack("import os, signal\nos.kill(0, signal.SIGKILL)")

    assert "SIGKILL" in found.reason


@pytest.mark.usefixtures("bwrap")
def test_no_other_process_can_be_seen_or_killed(score):
    with subprocess.Popen(["sleep", "60"]) as victim:
        try:
            found = score(
                f"import os\nfor pid in ({victim.pid}, {os.getpid()}):\n"
                "  try: os.kill(pid, 0); print(pid)\n  except OSError: pass\n"
                "print(sorted(int(n) for n in os.listdir('/proc') if n.isdigit())[-1] < 100)",
                isolation="required",
            )
            assert victim.poll() is None
        finally:
            victim.kill()

    assert found.details["output"].split() == ["True"]


DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv("/bin/sleep", [{word!r}, "300"])
    os._exit(0)
os.wait()
"""


def test_a_grandchild_that_leaves_the_group_does_not_outlive_the_program(attack, processes, word):
    found = attack(DAEMON.format(word=word) + "time.sleep(0.5)")

    assert found.passed
    assert processes(word) == []


def test_a_grandchild_that_holds_the_output_open_keeps_nobody_waiting(attack, word):
    started = time.monotonic()

    found = attack(DAEMON.format(word=word) + "print('done')", timeout_ms=60_000)

    assert time.monotonic() - started < 20
    assert found.details["output"] == "done\n"


def test_a_run_that_is_called_off_ends_its_program(tmp_path, processes, word, temporary):
    scorer = plugin.steelyard_register_scorers()[0].create(
        CodeExecutionSettings(language="python", isolation="none", timeout_ms=60_000), make_context(tmp_path)
    )
    program = DAEMON.format(word=word) + "time.sleep(60)"

    async def call_off():
        task = asyncio.create_task(scorer.score(make_case(), make_output(program), None))
        while not processes.now(word):
            await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(call_off())

    assert processes(word) == []
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(
    "program",
    [
        "import os\nfor _ in range(3000): os.mkdir('d'); os.chdir('d')",
        "import os\nos.mkdir('d'); open('d/f', 'w').close(); os.chmod('d', 0); os.chmod('.', 0)",
        "import os\nos.symlink('/', 'link')",
    ],
    ids=["deep", "forbidden", "link"],
)
def test_the_folder_of_a_program_is_removed_whatever_it_made(attack, program, temporary):
    attack(program)

    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("language", ["python", "bash"])
def test_a_link_in_the_place_of_the_folder_costs_nobody_a_file(attack, language, temporary, tmp_path):
    temporary.chmod(0o1777)
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "kept").write_text("", encoding="utf-8")
    program = {
        "bash": f"mv $PWD ${{PWD}}x; ln -s {victim} $PWD; mv $PWD/.. $PWD/../../away; ln -s {victim} $PWD/..",
        "python": f"import os\nhome = os.getcwd()\nos.rename(home, home + 'x')\nos.symlink({str(victim)!r}, home)",
    }[language]

    attack(program, language=language)

    assert [path.name for path in victim.iterdir()] == ["kept"]


@pytest.mark.usefixtures("bwrap")
def test_the_limits_of_a_sandbox_hold_for_many_programs_at_once(score):
    found = []
    program = "a = bytearray(20 * 1024 * 1024)\nimport time; time.sleep(0.2); print(len(a))"
    threads = [
        threading.Thread(target=lambda: found.append(score(program, isolation="required", memory_mb=64)))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [one.details["output"].strip() for one in found] == [str(20 * 1024 * 1024)] * 6


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root has rights to lay down")
@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_root_hands_programs_to_a_user_without_rights(score, monkeypatch, tmp_path_factory):
    monkeypatch.setattr(tempfile, "tempdir", "/tmp")

    found = score("id -u; cat /etc/shadow", "bash", isolation="none")

    assert int(found.details["output"]) in range(61184, 65520)
    assert "Permission denied" in found.details["errors"]
