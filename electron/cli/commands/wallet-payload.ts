import { InvalidArgumentError, Option } from 'commander'
import { CofferCommand } from '../terminal/coffer-command.ts'
import type { ServerOptions } from '../terminal/server-options.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { printLine } from '../terminal/vault-options.ts'
import { jsonFailures } from './about.ts'

type PayloadOptions = ServerOptions & {
  readonly apple?: true
  readonly google?: true
  readonly card: string
  readonly registration?: string
  readonly mpan?: true
  readonly merchant?: readonly string[]
  readonly panOnly?: true
}

/** `coffer wallet-payload`: prints payment data as a wallet encrypts it. */
export function walletPayloadCommand(): CofferCommand {
  return new CofferCommand('wallet-payload')
    .withServer()
    .description('Encrypt a test card as Apple Pay or Google Pay does, and print the body of the request')
    .addOption(new Option('--apple', 'for POST /apple-pay').conflicts('google'))
    .option('--google', 'for POST /google-pay')
    .addOption(
      new Option('--card <number>', 'the number of a test card')
        .argParser(parseCardNumber)
        .makeOptionMandatory(),
    )
    .option('--registration <id>', 'encrypt for the newest certificate of this merchant registration')
    .addOption(new Option('--mpan', 'Apple Pay: a merchant token').conflicts(['google', 'panOnly']))
    .addOption(
      new Option(
        '--merchant <identifier...>',
        'Apple Pay: the merchants of a payment that several share',
      ).conflicts(['google', 'panOnly']),
    )
    .addOption(new Option('--pan-only', 'Google Pay: a card without a device number').conflicts('apple'))
    .option(...jsonFailures)
    .withHelp(`Examples:
  coffer wallet-payload --apple --card 4242424242424242
  coffer wallet-payload --apple --card 4242424242424242 --merchant shop.example --merchant delivery.example
  coffer wallet-payload --google --pan-only --card 5555555555554444 > payment.json

Without --registration, the payment is for a key pair of the vault itself, which the first one creates. No wallet has
signed the payment, and Coffer does not check signatures.`)
    .action(
      async ({ apple, google, card, registration, mpan, merchant, panOnly, ...server }: PayloadOptions) => {
        if (!apple && !google) throw new UsageError('Name the wallet with --apple or --google.')
        const { requestServer } = await import('../terminal/request-server.ts')
        const payload = await requestServer(server, 'POST', '/_coffer/wallet-payload', {
          wallet: apple ? 'apple' : 'google',
          number: card,
          merchant_registration_id: registration,
          merchants: merchant,
          variant: mpan ? 'mpan' : panOnly ? 'pan_only' : undefined,
        })
        printLine(JSON.stringify(payload))
      },
    )
}

function parseCardNumber(text: string): string {
  if (/^\d{13,19}$/.test(text)) return text
  throw new InvalidArgumentError('It must have 13 to 19 digits.')
}
