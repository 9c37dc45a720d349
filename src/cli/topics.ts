/** Help topics in prose: `usher help exit-codes` and others. */

export const TOPICS: Readonly<Record<string, string>> = {
  'exit-codes': `Exit codes, the same for every command:

    0  answered; or the reader of stdout went away
    1  the run or the tool call failed (also a result with isError: true)
    2  wrong flags or arguments, unknown command, server or tool; empty prompt
    3  the configuration cannot be used
    4  a named or required server is down, or every server is; with --strict any server
    5  a tool call was denied by a rule, or nobody was there to ask
    6  a token or a sign-in is missing, or a server refused it (a model that refuses its key: 8)
    7  a limit was reached: turns, time, tokens, bytes
    8  the model gave no final answer
    9  a tool call was sent and never answered: it may have happened
   70  a fault of usher
  130  ended by Ctrl-C
  131  ended by SIGQUIT
  143  ended by SIGTERM
`,
  stdin: `How stdin is used:

  usher < FILE            piped text without --prompt is the prompt
  usher -p - < FILE       the same, said outright
  usher -p TEXT < FILE    the file is added to the prompt as context

With -p TEXT, a pipe that sends nothing within 1 second is left alone, with a warning.
--stdin wait reads it to its end however long that takes; --stdin off never reads it.
At most 16 MiB are read. Other commands read stdin only where you write -.
`,
  login: `How servers are signed in to:

  usher mcp login NAME        opens the browser; the address is told as well, and what you
                              paste (the address it ended at, or the code) is taken
    --no-browser              opens none
    --device                  a code that you type in on another device
    --print-url               prints the address and ends; within 10 minutes:
    --code -                  finishes it, with the address or code from stdin
  usher mcp logout NAME       revokes and forgets
  /mcp login NAME             the same in a session

A bare URL in place of NAME works too; commands with a bare URL sign in by themselves when you
are at the terminal or $BROWSER is set. A run never does: exit 6 names the command.

Tokens are in files of mode 0600 below the state directory, sealed by a key in the system's
keyring where there is one (secret-tool, security; USHER_KEYRING=off says no). auth: in an entry
says more, for jobs without a person too; logins: describes what usher login NAME signs in to.
`,
  permissions: `Who may run tools:

  ask    each call of the model is asked about at the terminal (the default)
  auto   calls run without a question

Set it for all servers (mcp.permissions), for one (permissions), for one tool
(toolPermissions: ask, auto or deny), or for one run (--permissions). A deny rule always wins.
--yes server/tool allows that tool for one run.

Rules go by tool and arguments; deny before ask before allow, and deny holds always:

  rules:
    - deny: "github/delete_*"
    - ask: files/write_file
      when: { path: "secrets/*" }

hooks: {tool_call: [[PROGRAM, ARGUMENT]]} asks a program of yours about each call;
tool_result lets it change what comes back. One that fails denies. usher tools --why and
/permissions tell what each tool's call meets and what says so.

Answers: y once, s this run, a always (until the server or the tool changes), n no,
d no and say why, v everything.

Questions come to /dev/tty, also while stdin and stdout are pipes. Nobody is asked when stderr
is no terminal, with --no-input, or when CI is set: the call is then denied at once, the model
is told, and the exit code is 5 (--on-denied continue: 0). What you type yourself (usher call,
read, prompt, skill) is its own consent.

Reading a resource or prompt follows the mode of its server; rules name it as
server/read_mcp_resource or server/get_mcp_prompt. Lists are never asked for.

Ctrl-C at a question is a no; a second one within 2 s ends the run.
`,
  records: `What is kept of a run, in the state directory (~/.local/state/usher):

  usher                   a session at the terminal is saved; its name is on the first line
  usher --session ID      goes on with it, or begins one of that name; with -p as well
  usher --continue        the newest session of this directory
  usher --ephemeral       saves nothing: no session, no record, no files, no typed lines
  usher sessions list | show ID | resume ID | prune [ID ...|AGE]

A run with --prompt is saved only with --session or --continue. One process at a time may use
a session: a second one is refused at once (exit 1) and may try again.

Every call is on record before it is sent and when it has ended (usher audit show): who allowed
it, how it ended, hashes of arguments and results, never their values. usher audit verify finds
what was changed later. A call that was in flight when a run was killed is marked unknown; the
model is told, and it is never sent again by itself. Where no record can be written, usher warns
once and goes on.
`,
  trust: `Servers of a project (.mcp.json, usher.yaml) start only when you say so:

  a session asks once for each server and shows what would run; Enter is a no
  usher mcp approve NAME       approve it, until its entry changes
  usher mcp reject NAME        never, until its entry changes
  usher mcp reset              forget all decisions about this project
  --approve NAME               for one run; also USHER_MCP_ALLOWLIST=NAME,NAME

An approval is bound to the file and to everything in the entry that can run code, reach a host or
send a secret, as written. Only description, timeout, exposure, enabled and fewer tools may change
without a new question. Of a project file nothing but servers is read, and an entry without url,
command or builtin in it can only narrow a server of yours. Decisions are kept in approvals.json in
the state directory (~/.local/state/usher).

Your own file and .usher/local.yaml are trusted; a local file that git has under version control is
not: it came with the checkout. --config FILE is your word for that file, and the only one read.
`,
  scripts: `What a script of usher run sees (a model's script as well, but args and input):

  tools.NAME(args)             NAME as in usher tools; also tools.SERVER.TOOL(args), tools["server/tool"](args).
                               A promise of {content, structuredContent, isError}, or of the structured content
                               where the tool declares an output schema. Errors are thrown with the tool's text;
                               error.kind is error, denied, invalid, failed, unknown or cancelled.
  text(value)                  prints a text as it is, anything else as JSON; return VALUE does the same
  image(value)                 a data URL, {image_url} or an image block: saved, its path printed
  console                      its lines go to stderr (log, info, warn, error)
  exit()                       ends the script, with success
  args, input                  words behind the file; stdin as one text, if the script has the word input
  store(key, value), load(key) JSON values; a model finds them again in its next script of the session
  ALL_TOOLS                    [{name, description}]
  await searchTools(query, {limit, namespace}), await describeTool(name), await describeNamespace(server)

The first line may be // @options: {"timeout_ms": 60000, "max_output_tokens": 10000}; the latter is for models,
and an error in usher run, which prints everything. A call waits for its own server only. What is not awaited is
cancelled when the script ends; a rejected promise that nobody handles fails it after its output.
`,
  elicit: `What servers may ask of you:

A server may ask for input in the middle of a call: a form, or an address to open. At a terminal
you are asked field by field, and everything is shown again before it is sent; an address is
shown whole and opened only after your yes ($BROWSER, or the system's browser). You can decline
or cancel at any time. Do not type secrets into a form.

With nobody to ask the answer is cancel, unless you say before what to answer:

  --elicit accept     the defaults of the form; declines where a required field has none
  --elicit decline    no
  --elicit FILE       a YAML list, the first entry that fits counts, nothing else is accepted:
    - server: NAME                 # absent: every server
      match: "*deploy*"            # glob on the whole message; absent: every message
      action: accept               # or decline, cancel
      content: { environment: staging, confirm: true }

An address that --elicit accepts is shown and not opened. A server with sampling: ask in the
config may let your model answer something: you see it all and are asked each time; with nobody
to ask it is refused. What servers log goes to mcp.log in the state directory
(~/.local/state/usher); --verbose shows it and asks them for more.
`,
};
