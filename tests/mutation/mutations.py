"""What is broken on purpose, built-in by built-in: a text of its source, and what stands there instead.

Each is a fault that somebody could make and that users would suffer from. The text must occur exactly once.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutation:
    """One fault of one built-in."""

    builtin: str
    """The name of its entry point."""
    file: str
    """Below the package of the built-ins."""
    was: str
    becomes: str
    fault: str
    """What it does wrong then."""

    def __str__(self) -> str:
        return f"{self.builtin}: {self.fault}"


def of(builtin: str, file: str, *faults: tuple[str, str, str]) -> list[Mutation]:
    """Return faults of one file: what goes wrong, what stands there, what stands there instead."""
    return [Mutation(builtin, file, was, becomes, fault) for fault, was, becomes in faults]


MUTATIONS = [
    # Scorers
    *of(
        "contains",
        "scorers/contains.py",
        ("always passes", 'passed = found > 0 if self._settings.mode == "any" else not missing', "passed = True"),
        ("turns the verdict round", "else not missing", "else bool(missing)"),
        ("ignores ignore_case", "caseless if settings.ignore_case else composed", "composed"),
        ("ignores mode", 'if self._settings.mode == "any" else', 'if self._settings.mode == "" else'),
        ("scores what is missing", "value=found / len(wanted)", "value=len(missing) / len(wanted)"),
        (
            "keeps what it found last",
            "wanted = wanted_texts(self._settings.value, case)",
            'wanted = self.__dict__.setdefault("w", wanted_texts(self._settings.value, case))',
        ),
    ),
    *of(
        "exact_match",
        "scorers/exact_match.py",
        ("always passes", "passed = expected == given", "passed = True"),
        ("is content with a part", "passed = expected == given", "passed = expected in given"),
        ("ignores ignore_case", "if self._settings.ignore_case else composed(stripped)", "if True else ''"),
        ("ignores strip", "text.strip() if self._settings.strip else text", "text.strip()"),
        ("ignores value", "wanted_text(self._settings.value, case)", "wanted_text(None, case)"),
    ),
    *of(
        "json_path",
        "scorers/json_path.py",
        ("always passes", "passed = same(found, wanted)", "passed = True"),
        ("ignores exists", "if self._settings.exists or wanted is None", "if wanted is None"),
        ("takes 1 for true", "return first is second", "return first == second"),
        (
            "passes where there is nothing",
            'Score(value=0.0, passed=False, reason=f"{self._settings.path}: {error.args[0]}")',
            "Score(value=1.0, passed=True, reason='there')",
        ),
        ("ignores value", "case.expected if self._settings.value is None else self._settings.value", "case.expected"),
    ),
    *of(
        "json_schema",
        "scorers/json_schema.py",
        ("always passes", "if problem is not None:", "if False:"),
        ("ignores extract", "extract=self._extract, kind", "extract=True, kind"),
        (
            "takes what is no JSON for a pass",
            "except ValueError as error:\n            return Score(value=0.0, passed=False",
            "except ValueError as error:\n            return Score(value=1.0, passed=True",
        ),
        (
            "makes a zero of what cannot be judged",
            "except LookupError as error:\n            raise ScorerError(",
            "except LookupError as error:\n"
            "            return Score(value=0.0, passed=False, reason='no')\n"
            "            raise ScorerError(",
        ),
    ),
    *of(
        "max_words",
        "scorers/max_words.py",
        ("always passes", "passed = count <= self._limit", "passed = True"),
        ("counts one too few", "count <= self._limit", "count < self._limit"),
        ("counts letters", "len(output.text.split())", "len(output.text)"),
        ("ignores value", "self._limit = settings.value", "self._limit = 3"),
    ),
    *of(
        "numeric",
        "scorers/numeric.py",
        ("always passes", "passed = self._close(read.value, wanted)", "passed = True"),
        ("ignores pick", 'found[-1 if self._settings.pick == "last" else 0]', "found[-1]"),
        ("ignores abs_tol", "<= max(absolute, relative)", "<= relative"),
        ("ignores rel_tol", "<= max(absolute, relative)", "<= absolute"),
        ("ignores decimal_mark", "text), self._settings.decimal_mark))", 'text), "."))'),
        (
            "makes a zero of what cannot be judged",
            "raise ScorerError(_no_number(self._value(case)))",
            "return Score(value=0.0, passed=False, reason='no number')",
        ),
    ),
    *of(
        "regex",
        "scorers/regex.py",
        ("always passes", "value=float(bool(found)), passed=bool(found)", "value=1.0, passed=True"),
        ("ignores fullmatch", "if self._settings.fullmatch:", "if False:"),
        ("ignores ignore_case", "regex.IGNORECASE if settings.ignore_case else 0", "0"),
    ),
    *of(
        "similarity",
        "scorers/similarity.py",
        ("always passes", "passed=value >= self._settings.threshold", "passed=True"),
        ("ignores metric", "MEASURES[settings.metric]", 'MEASURES["ratio"]'),
        ("ignores ignore_case", "caseless if settings.ignore_case else composed", "composed"),
        ("counts white space", "self._comparable(text.strip())", "self._comparable(text)"),
        ("ignores threshold", "passed=value >= self._settings.threshold", "passed=value >= 1.0"),
    ),
    *of(
        "weighted_match",
        "scorers/weighted_match.py",
        ("always passes", "passed = value >= (1.0 if self._threshold is None else self._threshold)", "passed = True"),
        ("ignores the weights", "fsum(self._weights[name] * share for", "fsum(share / 3 for"),
        ("ignores tolerance", 'percent_within(tolerances["percent"])', "percent_within(0.0)"),
        (
            "looks at labels alone",
            '"order": share_matching(expected, found, same_order)',
            '"order": f1(expected, found)',
        ),
        ("ignores threshold", "(1.0 if self._threshold is None else self._threshold)", "1.0"),
    ),
    *of(
        "llm_judge",
        "scorers/llm_judge.py",
        ("always passes", "passed=decision.passed", "passed=True"),
        (
            "ignores min_score",
            "if settings.min_score is not None:\n            return score",
            "if False:\n            return score",
        ),
        ("ignores scale", "read_verdict(reply.text, scale=settings.scale", "read_verdict(reply.text, scale=5"),
        ("believes what the candidate says of itself", "candidate=output.text", 'candidate=""'),
        (
            "makes a zero of nonsense",
            '            raise ScorerError(f"judge {judge!r} gave no verdict',
            "            return Opinion(judge, 1.0, 'unreadable', None)\n"
            '            raise ScorerError(f"judge {judge!r} gave no verdict',
        ),
        (
            "swallows a failure of the model",
            "                raise opinion",
            "                raise ScorerError('no verdict')",
        ),
        (
            "announces no question",
            '        asked = self._question(case, criteria, messages, "")\n',
            '        return\n        asked = self._question(case, criteria, messages, "")\n',
        ),
    ),
    *of(
        "pairwise",
        "scorers/pairwise.py",
        ("always passes", "passed=value > 0", "passed=True"),
        (
            "asks in one order twice",
            "orders = ((output, other), (other, output))",
            "orders = ((output, other), (output, other))",
        ),
        ("announces one question", "for _ in range(2):", "for _ in range(1):"),
        (
            "makes a zero of what cannot be judged",
            'raise ScorerError("needs a reference to hold the output against")',
            "return Score(value=0.0, passed=False, reason='no reference')",
        ),
        (
            "swallows a failure of the model",
            "                raise verdict",
            "                raise ScorerError('no verdict')",
        ),
    ),
    *of(
        "python",
        "scorers/python.py",
        ("ignores args", "**arguments)", ")"),
        ("takes any score for a pass", "passed=value >= PASSES_AT", "passed=True"),
        (
            "makes a failure of an exception",
            '            raise ScorerError(f"{self._settings.function!r} raised {type(error).__name__}: {error}")'
            " from error",
            "            return Score(value=0.0, passed=False, reason=str(error) or 'error')",
        ),
        ("waits for nothing", "result = asyncio.run(_wait_for(result))", "result.close(); result = True"),
        ("takes NaN for a score", "or not math.isfinite(value)", ""),
        (
            "turns the verdict round",
            "Score(value=float(result), passed=result,",
            "Score(value=float(not result), passed=not result,",
        ),
    ),
    *of(
        "code_execution",
        "scorers/_code_verdict.py",
        ("always passes", "passed, reason = _judged(", "passed, reason = True, _judged("),
        ("ignores the exit code", "if ended.exit_code != 0:", "if False:"),
        ("ignores expected_output", "if expected is not None and _trimmed(", "if False and _trimmed("),
    ),
    # Caches
    *of(
        "memory",
        "caches/memory.py",
        ("loses entries", "return None if entry is None else entry[0]", "return None"),
        ("mixes entries up", "self._entries[key] = (value", "self._entries[key[:1]] = self._entries[key] = (value"),
        (
            "keeps the first of two values",
            "self._entries[key] = (value, time.monotonic())",
            "self._entries.setdefault(key, (value, time.monotonic()))",
        ),
        ("clears nothing", "            self._entries.clear()\n", ""),
        ("prunes by nothing", "if stored_at < limit", ""),
        ("miscounts", "entries=len(self._entries)", "entries=len(self._entries) + 1"),
    ),
    *of(
        "files",
        "caches/files.py",
        ("loses entries", "return path.read_bytes() or None", "return None"),
        ("mixes entries up", 'f"{key}{ENDING}"', 'f"{key[:2]}{ENDING}"'),
        ("cuts entries", "file.write(value)", "file.write(value[:1_000_000])"),
        (
            "writes in place",
            "self._rename(Path(name), path)",
            "path.write_bytes(value[:9]); time.sleep(0.01); path.write_bytes(value)",
        ),
        (
            "clears nothing",
            "sum(_remove(path) for path in self._files(ENDING))\n        for",
            "sum(1 for path in self._files(ENDING))\n        for",
        ),
        (
            "leaves a trace when it is made",
            "    return FilesCache(context",
            "    context.cache_dir.mkdir(parents=True, exist_ok=True)\n    return FilesCache(context",
        ),
    ),
    *of(
        "sqlite",
        "caches/sqlite.py",
        ("loses entries", "return row[0] if row is not None and isinstance(row[0], bytes) else None", "return None"),
        ("keeps the first of two values", "INSERT OR REPLACE", "INSERT OR IGNORE"),
        (
            "forgets half of what is read together",
            "found.update((key, value) for key, value in rows",
            "found.update((key, value) for key, value in rows[::2]",
        ),
        ("clears nothing", '"DELETE FROM entries", ()', '"DELETE FROM entries WHERE 0", ()'),
        ("prunes the young", "stored_at < ?", "stored_at > ?"),
        (
            "leaves a trace when it is made",
            "    return SqliteCache(path, context)",
            "    path.parent.mkdir(parents=True, exist_ok=True)\n    return SqliteCache(path, context)",
        ),
        (
            "is no use to a second process",
            "context.cache_dir / FILE_NAME",
            "context.cache_dir / f\"{__import__('os').getpid()}\"",
        ),
    ),
    *of(
        "sqlite",
        "caches/_database.py",
        ("gives up at damage", "            if not is_damage(error):\n", "            if True:\n"),
    ),
    # Reporters
    *of(
        "badge",
        "reporters/badge.py",
        ("writes nothing", 'yield json.dumps(badge, indent=2).encode() + b"\\n"', 'yield b""'),
        ("writes what is no JSON", "json.dumps(badge, indent=2).encode()", "repr(badge).encode()"),
        ("says that all passed", '"message": f"{passed}/{total} passed"', '"message": f"{total}/{total} passed"'),
        ("is always green", '"color": color}', '"color": "green"}'),
    ),
    *of(
        "csv",
        "reporters/csv_file.py",
        ("writes nothing", "            yield _line(_row(case))", "            pass"),
        (
            "writes formulas",
            "csv_cell(cell) if isinstance(cell, str) else cell for cell in row",
            "cell for cell in row",
        ),
        ("says that all passed", "        case.passed,", "        True,"),
        ("leaves the ids out", "        case.id,\n", '        "",\n'),
        ("breaks rows", "csv.writer(text).writerow(", "(lambda cells: text.write(','.join(map(str, cells)) + '\\n'))("),
    ),
    *of(
        "json",
        "reporters/json_file.py",
        ("writes nothing", '".json", record_chunks)', '".json", lambda record: [])'),
        ("cuts the record", '".json", record_chunks)', '".json", lambda record: list(record_chunks(record))[:1])'),
        ("writes something else", '".json", record_chunks)', '".json", lambda record: [b"{}"])'),
    ),
    *of(
        "junit",
        "reporters/junit_xml.py",
        ("escapes nothing", 'html.escape(xml_text(text)).replace("\\t"', 'text.replace("\\t"'),
        ("keeps what XML cannot hold", "html.escape(xml_text(text)).replace", "html.escape(text).replace"),
        (
            "leaves cases out",
            "    for case in combo.cases:\n        yield from _case(case, name)",
            "    for case in combo.cases[:1]:\n        yield from _case(case, name)",
        ),
        ("says that all passed", "    if case.passed:", "    if True:"),
        ("miscounts failures", '        "failures": str(combo.failed),', '        "failures": "0",'),
    ),
    *of(
        "markdown",
        "reporters/markdown_text.py",
        (
            "escapes nothing",
            'yield "| " + " | ".join(markdown_cell(cell, _NOTE_LENGTH) for cell in row) + " |"',
            'yield "| " + " | ".join(row) + " |"',
        ),
        ("leaves cases out", "for case in combo.cases))", "for case in combo.cases[:1]))"),
        ("says that all passed", "str(case.passed) if error is None", "str(True) if error is None"),
        ("miscounts", 'f"{combo.passed}/{combo.scored}"', 'f"{combo.scored}/{combo.scored}"'),
    ),
    *of(
        "html",
        "reporters/html_page.py",
        ("escapes nothing", "return html.escape(one_line(text))", "return one_line(text)"),
        ("escapes no answer", "html.escape(printable(text, newlines=True))", "printable(text, newlines=True)"),
        ("lets terminals be driven", "html.escape(printable(text, newlines=True))", "html.escape(text)"),
        ("leaves cases out", "if case.passed is passed:", "if case.passed and passed:"),
        ("says that all passed", "    word = verdict_word(case)", "    word = 'passed'"),
    ),
    *of(
        "rich",
        "reporters/terminal_reporter.py",
        ("shows nothing", "            self._show(console, record)\n", "            pass\n"),
        ("leaves the verdict out", "if record.insights.verdict:", "if False:"),
        (
            "obeys markup",
            "console.print(Text(printable(line, newlines=True), style=style), soft_wrap=True)",
            "console.print(printable(line, newlines=True), markup=True, soft_wrap=True)",
        ),
    ),
    *of(
        "rich",
        "reporters/terminal_tables.py",
        ("lets terminals be driven", 'f"{one_line(record.benchmark)} — ', 'f"{record.benchmark} — '),
    ),
    *of(
        "evalkit_results",
        "reporters/evalkit_results.py",
        ("writes nothing", 'yield b"\\n  ]\\n}\\n"', "pass"),
        (
            "leaves tasks out",
            "    for case, name in _tasks(record):\n        yield",
            "    for case, name in list(_tasks(record))[:1]:\n        yield",
        ),
        ("says that all passed", '        "passed": case.passed,', '        "passed": True,'),
        ("writes half characters", "return well_formed(text).replace", "return text.replace"),
        ("miscounts", '        "passed": passed,\n        "failed"', '        "passed": planned,\n        "failed"'),
    ),
    # Formats
    *of(
        "native",
        "formats/native/reader.py",
        ("accepts unknown keys", "        top.check_keys(TOP_LEVEL)\n", ""),
        ("takes every file for its own", 'return "extends" in keys and keys.isdisjoint(_OTHERS)', "return True"),
        ("needs no name", 'name = top.text("name", required=True, allow_empty=False)', 'name = top.text("name")'),
        ("ignores inference", "            inference=inference,\n", ""),
    ),
    *of(
        "native",
        "formats/native/cases.py",
        ("ignores expected_output", '            expected=value.get("expected_output"),\n', ""),
        ("ignores tags", "            tags=_tags(node, value),\n", ""),
        ("crashes at a misfit", "    return node.mapping(key)\n", "    return {**found}\n"),
        ("accepts cases that nobody judges", "elif not uses and value.get", "elif False and value.get"),
        (
            "ignores the case's own variables",
            "return {**self.variables, **own} if self.variables else own",
            "return self.variables",
        ),
    ),
    *of(
        "evalkit",
        "formats/evalkit/reader.py",
        ("accepts unknown keys", "        document.check_keys(TOP_LEVEL)\n", ""),
        ("takes every file for its own", 'return not keys.isdisjoint({"target", "tasks"}) and keys', "return keys"),
        ("accepts any version", "isinstance(version.value, bool) or version.value != 1", "False"),
    ),
    *of(
        "evalkit",
        "formats/evalkit/graders.py",
        ("ignores negate", 'bool(node.flag("negate", default=False))', "False"),
        ("ignores the suite's graders' options", "if key in OPTIONS[kind] and option is not None}", "if False}"),
        ("accepts unknown graders", "    if kind not in OPTIONS:\n", "    if False:\n"),
    ),
    *of(
        "eval",
        "formats/eval_cli/reader.py",
        ("accepts unknown keys", '        document.check_keys(TOP_LEVEL, severity="warning")\n', ""),
        ("takes every file for its own", 'return "cases" in document and', "return"),
        (
            "ignores the system prompt",
            'EvalPrompt(system=document.text("system_prompt") or "")',
            'EvalPrompt(system="")',
        ),
    ),
    *of(
        "eval",
        "formats/eval_cli/criteria.py",
        (
            "ignores case_sensitive",
            'ignore_case = not node.flag("case_sensitive", default=False)',
            "ignore_case = True",
        ),
        ("accepts no criterion", "    if not node.value:\n        node.error(", "    if False:\n        node.error("),
    ),
    # Providers
    *of(
        "openrouter",
        "providers/_openrouter.py",
        (
            "has one fingerprint for all",
            "return self._api.fingerprint(self._url, chat_body(request))",
            "return self._url",
        ),
        ("leaves connections open", "        await self._api.close()\n", "        return\n"),
        (
            "shows its key",
            "OpenRouterRules(NAME, self._api.secrets, key_variable)",
            "OpenRouterRules(NAME + str(self._api.secrets), (), key_variable)",
        ),
        ("never tries again", "return told if isinstance(told, bool) else None", "return False"),
        (
            "asks without the prompt",
            "self._api.post(self._url, chat_body(request)",
            'self._api.post(self._url, {**chat_body(request), "messages": []}',
        ),
    ),
    *of(
        "openai",
        "providers/_chat.py",
        ("drops usage", "        usage=usage,\n        finish_reason", "        finish_reason"),
        ("swallows a refusal", "        problem=_problem(text, reason, message, rules),\n", ""),
        ("sends what is not set", "if value is not None},\n        **parameters", "},\n        **parameters"),
        ("drops further parameters", "        **parameters.params,\n", ""),
        (
            "drops the system prompt",
            "for message in request.messages],\n        **{name",
            'for message in request.messages if message.role != "system"],\n        **{name',
        ),
        ("keeps half characters", "        return well_formed(content)\n", "        return content[:-1]\n"),
    ),
    *of(
        "openai",
        "providers/_openai.py",
        (
            "asks twice",
            "        reply = await self._api.post(self._url, self._body(request), timeout_s=request.timeout_s)\n",
            "        for _ in range(2):\n"
            "            reply = await self._api.post(self._url, self._body(request), timeout_s=request.timeout_s)\n",
        ),
        ("has no patience for a busy server", "return True if status == HTTPStatus.CONFLICT else None", "return False"),
    ),
    *of(
        "anthropic",
        "providers/_anthropic.py",
        ("drops usage", '        usage=usage_of(mapping_of(at(body, "usage"))),\n', "        usage=Usage(),\n"),
        ("swallows an empty answer", "        problem=_problem(text, reason, blocks, mapping_of(body)),\n", ""),
        ("drops the system prompt", '            body["system"] = system\n', "            pass\n"),
        ("drops the temperature", '            body["temperature"] = parameters.temperature\n', "            pass\n"),
        ("tries everything again", "return True if status == HTTPStatus.CONFLICT else None", "return True"),
        (
            "tells reasons in its own words",
            "finish_reason=FINISH_REASONS.get(reason, reason) or None",
            "finish_reason=reason",
        ),
    ),
    *of(
        "gemini",
        "providers/_gemini.py",
        ("drops usage", '        usage=usage_of(mapping_of(at(body, "usageMetadata"))),\n', "        usage=Usage(),\n"),
        ("swallows an empty answer", "        problem=_problem(text, reason, blocked, calls=calls),\n", ""),
        ("drops the system prompt", '        body["systemInstruction"] = {"parts": system}\n', "        pass\n"),
        (
            "has one fingerprint for all",
            "return self._api.fingerprint(self._url(request), body_for(request))",
            'return "the same"',
        ),
        (
            "shows its key in the address",
            "        return f\"{self.base_url}/{quote(model, safe='/')}:generateContent\"",
            "        return f\"{self.base_url}/{quote(model, safe='/')}:generateContent?key={self._api.secrets[0]}\"",
        ),
    ),
    *of(
        "ollama",
        "providers/_ollama.py",
        ("drops usage", '            prompt_tokens=count_of(at(body, "prompt_eval_count")),\n', ""),
        ("swallows an empty answer", "        problem=_problem(text, reason, mapping_of(message)),\n", ""),
        (
            "sends what is not set",
            "for name, value in given.items() if value is not None}",
            "for name, value in given.items()}",
        ),
        (
            "takes garbage for an answer",
            "    if not isinstance(message, dict):\n        raise",
            "    if not isinstance(message, dict):\n        return Completion(text='ok')\n        raise",
        ),
        ("leaves connections open", "        await self._api.close()\n", "        return\n"),
    ),
    *of(
        "http",
        "providers/_service.py",
        ("sends no key", "headers=merged(content, self._headers),", "headers=content,"),
        ("takes null for an answer", "    if value is None:\n        raise", "    if False:\n        raise"),
        ("shows its key", "tuple(Key(None).secrets(self._own))", "()"),
        ("has one fingerprint for all", "return fingerprint_of(url, self._headers, asked)", 'return "the same"'),
        (
            "ignores output_path",
            "_at(body_of(reply, self._rules), self._settings.output_path)",
            "_at(body_of(reply, self._rules), None)",
        ),
        ("sends nothing", "encoded(NAME, body)", "encoded(NAME, {})"),
    ),
    *of(
        "command",
        "providers/_command.py",
        ("swallows a failure", "        if finished.status != 0:\n", "        if False:\n"),
        (
            "drops the environment",
            "self._environ = {**context.environ, **settings.env}",
            "self._environ = dict(context.environ)",
        ),
        ("does not tell the seed", '"SEED": str(request.parameters.seed or 0)', '"SEED": "0"'),
        ("shows its environment in the fingerprint", "hashlib.sha256(environ).hexdigest()", "environ.decode()"),
        ("keeps the end of the line", 'text.rstrip("\\n")', "text"),
        ("ignores stdin", 'if self._settings.stdin == "prompt":', "if True:"),
        (
            "hands words to a shell",
            "return [well_formed(filled_text(argument, variables, NAME)) for argument in self._arguments]",
            'return ["/bin/sh", "-c", " ".join(filled_text(a, variables, NAME) for a in self._arguments)]',
        ),
    ),
    *of(
        "mock",
        "providers/_mock.py",
        (
            "drops usage",
            "                prompt_tokens=sum(self._tokens(message.content) for message in request.messages),\n",
            "",
        ),
        (
            "ignores default",
            "return prompt if self._settings.default is None else self._settings.default",
            "return prompt",
        ),
        (
            "never fails",
            '        raise ProviderError(\n            f"mock: {failure.message}"',
            '        return\n        raise ProviderError(\n            f"mock: {failure.message}"',
        ),
        ("forgets what may get better", "            retryable=failure.retryable,\n", ""),
        ("answers by the last rule", "enumerate(self._rules)", "reversed(list(enumerate(self._rules)))"),
        ("ignores flaky", "if flaky and _draw(request, prompt) < flaky:", "if False:"),
    ),
]
