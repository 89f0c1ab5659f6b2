import { Argument, Command, type Option } from 'commander'
import { CofferError } from '../../shared/errors.ts'
import { allOf, type Leaf, leafOf } from './command-tree.ts'
import { say } from './common.ts'

const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

/** `coffer completion`: a script that completes commands and options. */
export function completionCommand(): Command {
  return new Command('completion')
    .description('Print a script that completes commands and options in your shell')
    .addArgument(new Argument('<shell>', 'the shell').choices([...shells]))
    .addHelpText(
      'after',
      `
Examples:
  coffer completion bash > ~/.local/share/bash-completion/completions/coffer
  coffer completion zsh > "\${fpath[1]}/_coffer"
  coffer completion fish > ~/.config/fish/completions/coffer.fish`,
    )
    .action((shell: Shell, _options: unknown, command: Command) => {
      if (!command.parent) throw new CofferError('internal', 'There is no program to complete.')
      say(completionOf(leafOf(command.parent), shell))
    })
}

/** The completion script of a program for a shell. */
export function completionOf(program: Leaf, shell: Shell): string {
  if (shell === 'fish') return fish(program)
  const script = bash(program)
  return shell === 'bash' ? script : `#compdef coffer\nautoload -U +X bashcompinit && bashcompinit\n${script}`
}

function takesFile({ flags }: Option): boolean {
  return /<(file|dir)>/.test(flags)
}

function longOf({ long, short }: Option): string {
  return long ?? short ?? ''
}

function bash(program: Leaf): string {
  const leaves = allOf(program)
  const words = (leaf: Leaf) =>
    [...leaf.children.map(({ path }) => path.at(-1)), ...leaf.options.map(longOf), '--help'].join(' ')
  const cases = leaves.map((leaf) => `    '${leaf.path.join(' ')}') words='${words(leaf)}' ;;`)
  const paths = leaves.map(({ path }) => path.join(' ')).filter((path) => path !== '')
  const values = leaves.flatMap(({ options }) => options).filter(({ argChoices }) => argChoices)
  const choices = values.map((option) => `    ${longOf(option)}) words='${option.argChoices?.join(' ')}' ;;`)
  const files = new Set(
    leaves
      .flatMap(({ options }) => options)
      .filter(takesFile)
      .map(longOf),
  )
  return `_coffer() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" at='' word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${at:+$at }$word" in
      ${paths.map((path) => `'${path}'`).join('|')}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${cases.join('\n')}
  esac
  case "$before" in
${[...new Set(choices)].join('\n')}
    ${[...files].join('|')}) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -F _coffer coffer`
}

function fish(program: Leaf): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  const lines = allOf(program).flatMap((leaf) => {
    const here = quoted(conditionOf(leaf))
    const children = leaf.children.map(
      ({ path, description }) =>
        `complete -c coffer -n ${here} -f -a ${path.at(-1)} -d ${quoted(description)}`,
    )
    const options = leaf.options.map((option) => {
      const { short, description, argChoices, required, optional } = option
      const value = argChoices ? ` -x -a ${quoted(argChoices.join(' '))}` : required || optional ? ' -r' : ''
      const letter = short && option.long ? ` -s ${short.slice(1)}` : ''
      return `complete -c coffer -n ${here}${letter} -l ${longOf(option).replace(/^--?/, '')}${value} -d ${quoted(description)}`
    })
    return [...children, ...options]
  })
  return lines.join('\n')
}

/** Where in a command line a command has been typed and none below it. */
function conditionOf({ path, children }: Leaf): string {
  if (path.length === 0) return '__fish_use_subcommand'
  const typed = path.map((word) => `__fish_seen_subcommand_from ${word}`)
  const below = children.map((child) => child.path.at(-1)).join(' ')
  return [...typed, ...(below === '' ? [] : [`not __fish_seen_subcommand_from ${below}`])].join('; and ')
}
