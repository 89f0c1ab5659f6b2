import type { Command, Option } from 'commander'
import { CofferError } from '../../../shared/errors.ts'
import { CofferCommand } from '../terminal/coffer-command.ts'
import { type CommandNode, flattenCommands, toCommandNode } from '../terminal/command-tree.ts'
import { printLine } from '../terminal/vault-options.ts'
import { environment, examples, exitCodes, jsonErrors } from './about.ts'

/** `coffer man`: prints the manual page. */
export function manCommand(version: string): CofferCommand {
  return new CofferCommand('man')
    .description('Print the manual page')
    .withHelp('Examples:\n  coffer man | man -l -\n  coffer man > ~/.local/share/man/man1/coffer.1')
    .action((_options: unknown, command: Command) => {
      if (!command.parent) throw new CofferError('internal', 'There is no program to describe.')
      printLine(createManual(toCommandNode(command.parent), version))
    })
}

const files: readonly (readonly [string, string])[] = [
  [
    '~/.local/share/coffer',
    'The data folder on Linux, or coffer in $XDG_DATA_HOME. ~/Library/Application Support/Coffer on macOS, %APPDATA%\\Coffer on Windows. --data-dir and COFFER_DATA_DIR select another.',
  ],
  [
    '<data folder>/<vault>/',
    'One vault: vault.db (encrypted), vault.db-commits (counts its writes) and vault.json (describes how it is opened).',
  ],
  ['<data folder>/backups/<vault>/', 'The backups of that vault.'],
  ['<data folder>/contexts.json', 'The contexts of coffer context, without their variables.'],
  ['<data folder>/settings.json', 'The settings of the window. coffer serve uses them too.'],
  [
    '<file>.<id>.coffer-import, <file>.<id>.coffer-refused',
    'The progress of an import into a vault, and the lines that were refused.',
  ],
]

/** Creates the manual of a program as a man page, identical on every machine. */
export function createManual(program: CommandNode, version: string): string {
  const commands = flattenCommands(program).filter(
    ({ path, children }) => path.length > 0 && children.length === 0,
  )
  return [
    `.TH COFFER 1 "" "coffer ${escapeRoff(version)}" "Coffer"`,
    '.SH NAME',
    `coffer \\- ${escapeRoff(program.description)}`,
    '.SH SYNOPSIS',
    '.B coffer',
    '.I command',
    '[\\fIoptions\\fR]',
    '.SH COMMANDS',
    ...commands.flatMap(renderCommand),
    '.SH EXIT STATUS',
    ...exitCodes.flatMap(renderRow),
    '.PP',
    escapeRoff(jsonErrors),
    '.SH ENVIRONMENT',
    ...environment.flatMap(renderRow),
    '.SH FILES',
    ...files.flatMap(renderRow),
    '.SH EXAMPLES',
    ...renderLiteral(examples),
  ].join('\n')
}

function renderCommand({ path, description, arguments: parameters, options, help }: CommandNode): string[] {
  const names = parameters.map((argument) => {
    const name = `\\fI${escapeRoff(argument.name())}\\fR`
    return argument.required ? name : `[${name}]`
  })
  return [
    `.SS coffer ${[escapeRoff(path.join(' ')), ...names].join(' ')}`,
    escapeRoff(description),
    ...options.flatMap((option) => renderRow([option.flags, describeOption(option)])),
    ...renderLiteral(help),
  ]
}

function describeOption({ description, argChoices, defaultValue, envVar }: Option): string {
  const hasPrintableDefault = typeof defaultValue === 'string' || typeof defaultValue === 'number'
  return [
    description,
    ...(argChoices ? [`One of: ${argChoices.join(', ')}`] : []),
    ...(hasPrintableDefault ? [`Default: ${defaultValue}`] : []),
    ...(envVar === undefined ? [] : [`Environment: ${envVar}`]),
  ].join('. ')
}

function renderRow([term, meaning]: readonly [string, string]): string[] {
  return ['.TP', `\\fB${escapeRoff(term)}\\fR`, escapeRoff(meaning)]
}

function renderLiteral(help: string): string[] {
  return help === '' ? [] : ['.PP', '.nf', ...help.split('\n').map(escapeRoff), '.fi']
}

function escapeRoff(plain: string): string {
  return plain
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1')
}
