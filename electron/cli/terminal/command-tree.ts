import type { Argument, Command, Option } from 'commander'

export type CommandNode = {
  /** The words of the command, such as `['keys', 'create']`. */
  readonly path: readonly string[]
  readonly description: string
  readonly arguments: readonly Argument[]
  readonly options: readonly Option[]
  readonly children: readonly CommandNode[]
  readonly help: string
}

/** Converts a command and its subcommands to what completion and manual need. */
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

/** Lists every command of the tree, the program itself first. */
export function flattenCommands(leaf: CommandNode): CommandNode[] {
  return [leaf, ...leaf.children.flatMap(flattenCommands)]
}

/**
 * Returns the text added below a command's help. Commander has no function that returns it, so this captures the
 * complete help and drops the generated part.
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
  const information = command.helpInformation()
  return output.startsWith(information) ? output.slice(information.length).trim() : ''
}
