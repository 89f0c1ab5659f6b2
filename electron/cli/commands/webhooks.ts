import { Argument } from 'commander'
import { eventTypes } from '../../../shared/webhook-events.ts'
import type { ListenOptions, TriggerOptions } from '../actions/webhooks.ts'
import { CofferCommand } from '../terminal/coffer-command.ts'
import { parseEventPatterns, parseEventType } from '../terminal/event-patterns.ts'

/** `coffer webhooks`: forwards the events of a running Coffer, and sends test events. */
export function webhooksCommand(): CofferCommand {
  const webhooks = new CofferCommand('webhooks')
    .description('Forward events to a program on this machine, or send test events')
    .withHelp(`Examples:
  coffer webhooks listen --forward http://localhost:3000/hooks
  coffer webhooks trigger token.created`)
  webhooks.addCommand(listenCommand())
  webhooks.addCommand(triggerCommand())
  return webhooks
}

function listenCommand(): CofferCommand {
  return new CofferCommand('listen')
    .withServer()
    .description('Forward the events of a running Coffer to a program, and print each delivery')
    .option('--forward <url>', 'where to send each event, signed like a webhook delivery')
    .option('--events <types>', 'types and patterns, separated by commas; by default all but http.request')
    .option('--print-secret', 'print the public key that verifies signatures, and exit')
    .option('--json', 'print one line of JSON for each delivery')
    .withHelp(`Examples:
  coffer webhooks listen --forward http://localhost:3000/hooks --events 'token.*,proxy.invoked'
  coffer webhooks listen --print-secret > webhooks.pem

While it runs, it adds a webhook, so Coffer must run on this machine. An event that your program refuses is printed, and
not retried. Stop it with Ctrl-C.

Events: ${parseEventPatterns().join(', ')}, http.request`)
    .action(async (options: ListenOptions) =>
      (await import('../actions/webhooks.ts')).listenToWebhooks(options),
    )
}

function triggerCommand(): CofferCommand {
  return new CofferCommand('trigger')
    .withServer()
    .description('Send a test event to every webhook subscribed to its type')
    .addArgument(
      // The choices are only for completion. The parser's own error is shorter than a list of all choices.
      new Argument('<type>', 'the type of the event, such as token.created')
        .choices(eventTypes)
        .argParser(parseEventType),
    )
    .withJson()
    .withHelp(`Examples:
  coffer webhooks trigger token.created`)
    .action(async (type: string, options: TriggerOptions) =>
      (await import('../actions/webhooks.ts')).triggerEvent(type, options),
    )
}
