import type { Argument, Command, Option } from 'commander'

export type CommandNode = {
  /** `coffer keys create` is `['keys', 'create']`. */
  readonly path: readonly string[]
  readonly description: string
  readonly arguments: readonly Argument[]
  readonly options: readonly Option[]
  readonly children: readonly CommandNode[]
  /** The text printed below the options, such as examples. */
  readonly help: string
}

/** A command and its subcommands, as completion and manual need them. */
export function toCommandNode(command: Command, path: readonly string[] = []): CommandNode {
  return {
    path,
    description: command.description(),
    arguments: command.registeredArguments,
    options: command.options.filter((option) => !option.hidden),
    children: command.commands.map((child) => toCommandNode(child, [...path, child.name()])),
    help: readHelpAfter(command),
  }
}

/** Every command of the tree, the whole program first. */
export function flattenCommands(leaf: CommandNode): CommandNode[] {
  return [leaf, ...leaf.children.flatMap(flattenCommands)]
}

/**
 * The text added after a command's help. Commander exposes it only by printing, so take what follows the help itself.
 */
function readHelpAfter(command: Command): string {
  let output = ''
  const { writeOut } = command.configureOutput()
  command.configureOutput({
    writeOut(text) {
      output += text
    },
  })
  try {
    command.outputHelp()
  } finally {
    if (writeOut) command.configureOutput({ writeOut })
  }
  const own = command.helpInformation()
  return output.startsWith(own) ? output.slice(own.length).trim() : ''
}
