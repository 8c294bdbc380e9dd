import { type Command, type Terminal, UsageError } from './terminal/command.ts';
import { readOptions } from './terminal/options.ts';

/** The arguments that may follow the name of a command. */
type Words = ReadonlyMap<string, readonly string[]>;

/** From the help, which has all of them. */
function wordsOf(name: string, { help }: Command): string[] {
  const usage = help.slice(0, help.indexOf('\n\n'));
  const actions = Array.from(
    usage.matchAll(new RegExp(`headcount ${name} ([a-z][a-z-]*)`, 'g')),
    ([, action = '']) => action,
  );
  const options = Array.from(help.matchAll(/--[a-z][a-z-]*/g), ([option]) => option);
  return [...new Set([...actions, ...options, '--help'])];
}

const shells: Readonly<Record<string, (words: Words) => string>> = {
  bash: (words) => `_headcount() {
  local words='${[...words.keys(), '--help', '--version'].join(' ')}'
  if [ "$COMP_CWORD" -gt 1 ]; then
    case "\${COMP_WORDS[1]}" in
${[...words].map(([name, rest]) => `      ${name}) words='${rest.join(' ')}' ;;\n`).join('')}      *) words='' ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _headcount headcount
`,
  zsh: (words) => `#compdef headcount
_headcount() {
  local -a given
  if (( CURRENT == 2 )); then
    given=(${[...words.keys(), '--help', '--version'].join(' ')})
  else
    case $words[2] in
${[...words].map(([name, rest]) => `      ${name}) given=(${rest.join(' ')}) ;;\n`).join('')}    esac
  fi
  compadd -- $given || _files
}
compdef _headcount headcount
`,
  fish: (words) =>
    [
      `complete -c headcount -n __fish_use_subcommand -f -a '${[...words.keys(), '--help', '--version'].join(' ')}'\n`,
      ...[...words].map(
        ([name, rest]) =>
          `complete -c headcount -n '__fish_seen_subcommand_from ${name}' -a '${rest.join(' ')}'\n`,
      ),
    ].join(''),
};

/** @param load all commands by their names */
export const completionCommand = (load: () => Promise<readonly (readonly [string, Command])[]>): Command => ({
  help: `Usage: headcount completion bash
       headcount completion zsh
       headcount completion fish

Prints the completion script for commands and their options in that shell. In bash, for example:

  source <(headcount completion bash)
`,
  async run(args: string[], terminal: Terminal) {
    const [shell = ''] = readOptions(args, {}, ['shell']).positionals;
    const print = Object.hasOwn(shells, shell) ? shells[shell] : undefined;
    if (!print)
      throw new UsageError(`"completion" must be followed by one of bash, zsh, fish, not "${shell}".`);
    const commands = await load();
    terminal.print(print(new Map(commands.map(([name, command]) => [name, wordsOf(name, command)]))));
  },
});
