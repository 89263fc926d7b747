#!/usr/bin/env python3
"""Claude Code and Codex themselves, set up by `bashful mcp install`, with a model that plays a
script. What such a model is offered and reads is compared with the transcripts in `golden/`.

Everything stays on the loopback. `agents.py --write` writes the transcripts anew.
"""

import difflib
import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

from harness import Failed, Place, check, contains, lacks, run_table, same
from scripted_model import ScriptedModel, offered

HERE = Path(__file__).resolve().parent
LONGEST_RUN = 240
# A model of OpenAI whose tools are called from JavaScript.
CODE_MODE = "gpt-6.1-sol"
# One that Codex has never heard of.
UNKNOWN = "scripted"
# Taken out of the arguments, which otherwise choose cases.
WRITE = "--write" in sys.argv
sys.argv = [word for word in sys.argv if word != "--write"]
PUSH = "git push origin main"
# A transcript shows runs of this letter by their length.
MUCH = "echo first; head -c 100000 /dev/zero | tr '\\0' x; echo; echo last"

# What the model does, one call after the other; the names are those of the transcripts.
SCRIPT = [
    ("success", "bash_run", {"command": "echo out; echo err >&2", "description": "Say two things"}),
    ("failure", "bash_run", {"command": "ls no-such-file"}),
    ("denial", "bash_run", {"command": "touch proof && sudo ls"}),
    ("needs-approval", "bash_run", {"command": PUSH, "description": "Publish the work"}),
    ("outside", "bash_run", {"command": "python3 -c 'open(\"/etc/x\", \"w\")'"}),
    ("time-limit", "bash_run", {"command": "echo begun; sleep 60", "timeout": 300}),
    ("background", "bash_run", {"command": "echo started; sleep 60", "run_in_background": True}),
    ("truncation", "bash_run", {"command": MUCH}),
    ("explained", "policy_explain", {"command": PUSH}),
    ("wrong-arguments", "bash_run", {"command": "true", "timeout": "soon"}),
]


class Agent:
    """One of the two, and how it is started."""

    may_use_own = False

    def __init__(self, name, model=None):
        self.name, self.model = name, model
        self.golden = HERE / "golden" / (f"{name}-{model}" if model else name)

    def program(self):
        modules = Path(os.environ["BASHFUL_TEST_AGENTS"])
        machine = {"x86_64": "x64", "aarch64": "arm64"}[platform.machine()]
        if self.name == "claude":
            return modules / f"@anthropic-ai/claude-code-linux-{machine}/claude"
        found = list(modules.glob(f"@openai/codex-linux-{machine}/vendor/*/bin/codex"))
        check(found, "Codex is not installed")
        return found[0]

    def set_up(self, place, address):
        """The client's own configuration first, then ours, as a person does it."""
        if self.name == "codex":
            directory = place.root / "home/.codex"
            directory.mkdir(exist_ok=True)
            (directory / "config.toml").write_text(f'''model = "{self.model}"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
chatgpt_base_url = "{address}"

[features]
plugins = false
apps = false

[model_providers.scripted]
name = "scripted"
base_url = "{address}/v1"
wire_api = "responses"

[analytics]
enabled = false
''')
        done = place.bashful("mcp", "install", self.name, "--yes")
        same(done.returncode, 0, f"install, which said {done.stdout}{done.stderr}")

    def start(self, place, address):
        environment = place.environment()
        # Whatever else it looks for ends at a port where nobody is.
        environment |= {"HTTPS_PROXY": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1"}
        if self.name == "claude":
            environment |= {
                "ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": "none",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1",
                "DISABLE_ERROR_REPORTING": "1", "DISABLE_AUTOUPDATER": "1",
            }
            words = ["-p", "go", "--output-format", "stream-json", "--verbose"]
            # So that nothing but our set-up can keep it from its own shell.
            words += ["--allowedTools", "Bash"] if self.may_use_own else []
        else:
            words = ["exec", "--skip-git-repo-check", "--json", "go"]
        return subprocess.run(
            [self.program(), *words], env=environment, cwd=place.workspace,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LONGEST_RUN,
        )

    def results(self, turns):
        """What the model read as the results of its calls, in order."""
        last, found = turns[-1], []
        for message in last.get("messages") or []:
            for block in message["content"] if isinstance(message["content"], list) else []:
                if block["type"] == "tool_result":
                    mark = "[is_error]\n" if block.get("is_error") else ""
                    found.append(mark + joined(block["content"]))
        for item in last.get("input") or []:
            if item.get("type") in ("function_call_output", "custom_tool_call_output"):
                found.append(joined(item["output"]))
        return found

    def own_shells(self, turns):
        """Tools by which this agent would run commands past us."""
        names = {name for turn in turns for name in all_names(turn)}
        suspects = {
            "Bash", "PowerShell", "Monitor", "shell", "shell_command", "exec_command",
            "local_shell", "write_stdin", "container.exec",
        }
        return names & suspects


def joined(content):
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text", f"<{block.get('type')}>") for block in content)


def all_names(turn):
    """Every tool that a request offers, also those that are only named."""
    names = set()
    for tool in offered(turn):
        names.add(tool.get("name") or tool.get("type"))
        # In code mode the tools are declared in the text of one.
        names |= set(re.findall(r"declare const tools: \{ (\w+)\(", tool.get("description") or ""))
        for inner in tool.get("tools") or []:
            names.add(inner.get("name"))
            text = inner.get("description") or ""
            names |= set(re.findall(r"declare const tools: \{ (\w+)\(", text))
    for message in turn.get("messages") or []:
        text = joined(message["content"])
        if "deferred tools" in text:
            names |= set(re.findall(r"(?m)^(\w+)$", text))
    return names


def play(agent, steps):
    """Lets the agent run; gives what the model saw, and the place for a look around."""
    with Place() as place:
        place.repository_with_remote()
        with ScriptedModel([*steps, ("say", "all done")]) as model:
            agent.set_up(place, model.address)
            done = agent.start(place, model.address)
            said = done.stdout[-3000:] + done.stderr[-3000:]
            same(done.returncode, 0, f"exit status of {agent.name}, which said {said}")
            contains(done.stdout, "all done", "what the agent printed")
            check(not model.steps, f"steps that were not taken: {model.steps}")
        proofs = {path.name for path in place.workspace.iterdir()}
        place.bashful("stop", "--all")
        return model.turns(), tidied(agent.results(model.turns()), place), proofs


def tidied(results, place):
    """Without what is another each time."""
    rules = [
        (re.escape(str(place.root)), "PLACE"),
        (r"\bask-[0-9a-z]+", "ask-ID"), (r"\bbash-[0-9a-z]+", "bash-ID"),
        (r"\b\d+ ms\b", "N ms"), (r"\b\d+\.\d+ s\b", "N s"),
        (r"Wall time:? [0-9.]+ seconds", "Wall time N seconds"),
    ]
    for pattern, word in rules:
        results = [re.sub(pattern, word, text) for text in results]
    return [re.sub("x{100,}", lambda run: f"<x {len(run.group())} times>", it) for it in results]


def compare(agent, name, text):
    file = agent.golden / f"{name}.txt"
    text = text if text.endswith("\n") else text + "\n"
    if WRITE:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return
    check(file.exists(), f"{file} is missing; `agents.py --write` writes it")
    expected = file.read_text()
    if text != expected:
        lines = difflib.unified_diff(
            expected.splitlines(), text.splitlines(), "expected", "got", lineterm="")
        raise Failed(f"{name} reads otherwise:\n" + "\n".join(lines))


def transcripts(agent):
    def case():
        steps = [("call", f"mcp__bashful__{tool}", arguments) for _, tool, arguments in SCRIPT]
        turns, results, proofs = play(agent, steps)
        same(len(results), len(SCRIPT), "results that the model read")
        same(agent.own_shells(turns), set(), "the agent's own shell tools")
        check("proof" not in proofs, "what was denied has run")
        said = dict(zip([name for name, _, _ in SCRIPT], results))
        contains(said["needs-approval"], "bashful approvals allow ask-ID", "needs approval")
        contains(said["needs-approval"], "no person", "needs approval")
        contains(said["truncation"], "last", "truncation")
        contains(said["truncation"], "100012 bytes of stdout", "truncation")
        # Codex gives a model that it does not know less, and its mark is wrong. Ours comes first.
        if agent.model != UNKNOWN:
            lacks(said["truncation"], "tokens truncated", "truncation, which the agent cut again")
        lacks(said["truncation"], "persisted-output", "truncation, which the agent cut again")
        if agent.model == UNKNOWN:
            # Where Codex cuts depends on how long the command took.
            said["truncation"] = re.sub(r"<x \d+ times>", "<x many times>", said["truncation"])
        problems = []
        for name, text in said.items():
            try:
                compare(agent, name, text)
            except Failed as failure:
                problems.append(str(failure))
        if problems:
            raise Failed("\n".join(problems))

    return f"{title(agent)}: what the model reads", case


def tools(agent):
    def case():
        turns, _, _ = play(agent, [])
        names = all_names(turns[0])
        shown = json.dumps(turns[0])
        if agent.model != CODE_MODE:
            contains(shown, "Bashful runs shell commands", "the request: instructions")
        if agent.name == "claude":
            described = {tool["name"] for tool in turns[0]["tools"]}
            check("mcp__bashful__bash_run" in described, f"bash_run is not loaded: {described}")
            check("mcp__bashful__policy_explain" in names, f"offered: {sorted(names)}")
        same(agent.own_shells(turns), set(), "the agent's own shell tools")

    return f"{title(agent)}: our tools are offered, its own shell is not", case


def tools_in_code_mode():
    """There a model is shown nothing of ours; what it finds when it looks has to say enough."""
    def case():
        code = "text(ALL_TOOLS.filter((tool) => /shell|bash|command/.test(tool.description)));"
        _, results, _ = play(Agent("codex", CODE_MODE), [("code", code)])
        contains(results[0], "mcp__bashful__bash_run", "the tools")
        contains(results[0], "Runs a bash command in a sandbox", "the tools")

    return f"codex {CODE_MODE}: a look for tools finds ours", case


def hooked():
    """Claude Code keeps its shell, and the hook sends what it runs through us."""
    def case():
        agent = Hooked("claude")
        script = [
            ("hook-success", {"command": "echo proof > proof; cat proof; echo err >&2"}),
            ("hook-failure", {"command": "exit 3"}),
            ("hook-denial", {"command": "touch other && sudo ls"}),
            ("hook-needs-approval", {"command": PUSH}),
        ]
        steps = [("call", "Bash", {**it, "description": "x"}) for _, it in script]
        _, results, proofs = play(agent, steps)
        check("proof" in proofs, f"what is allowed has not run: {results}")
        check("other" not in proofs, f"what is denied has run: {results}")
        same(len(results), len(script), f"results {results}")
        for (name, _), text in zip(script, results):
            compare(agent, name, text)

    return "claude: its own shell through our hook", case


class Hooked(Agent):
    def set_up(self, place, address):
        done = place.bashful("mcp", "install", self.name, "--yes", "--keep-shell", "--hook")
        same(done.returncode, 0, f"install, which said {done.stdout}{done.stderr}")


class Eager(Agent):
    """Everything that the client itself could forbid is allowed."""

    may_use_own = True

    def touches(self):
        """Calls of its own shell."""
        if self.name == "claude":
            return [("call", "Bash", {"command": "touch proof", "description": "x"})]
        return [
            ("call", "exec_command", {"cmd": "touch proof"}),
            ("call", "shell", {"command": ["touch", "proof"]}),
            ("call", "shell_command", {"command": "touch proof"}),
        ]


class Kept(Eager):
    """Set up with the client's own shell left on."""

    def set_up(self, place, address):
        super().set_up(place, address)
        for words in (("--remove",), ("--keep-shell",)):
            done = place.bashful("mcp", "install", self.name, "--yes", *words)
            same(done.returncode, 0, f"install {words}, which said {done.stdout}{done.stderr}")


def own_shell(agent):
    """The model calls the agent's own shell although it is not offered."""
    def case():
        eager = Eager(agent.name, agent.model)
        _, results, proofs = play(eager, eager.touches())
        check("proof" not in proofs, f"the agent's own shell ran it: {results}")
        same(len(results), len(eager.touches()), f"results {results}")

    return f"{title(agent)}: its own shell is really gone", case


def control(agent):
    """Where the shell is kept the same calls run something, so the case before can fail."""
    def case():
        kept = Kept(agent.name, agent.model)
        turns, results, proofs = play(kept, kept.touches())
        check(agent.own_shells(turns), f"the agent has no shell to take away: {results}")
        check("proof" in proofs, f"the agent's own shell has not run it: {results}")

    return f"{title(agent)}: control, its own shell runs things if it is kept", case


def title(agent):
    return f"{agent.name} {agent.model}" if agent.model else agent.name


# The three ways of Codex to call a tool: behind a search, from code, and for a model it does not
# know directly.
AGENTS = [
    Agent("claude"), Agent("codex", "gpt-5.5"), Agent("codex", CODE_MODE),
    Agent("codex", UNKNOWN),
]


def main():
    rows = [row(agent) for agent in AGENTS for row in (tools, transcripts, own_shell, control)]
    rows += [tools_in_code_mode(), hooked()]
    return run_table("agents", rows)


if __name__ == "__main__":
    sys.exit(main())
