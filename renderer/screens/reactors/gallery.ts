import type { Permission } from '../../../shared/permissions.ts'

/** Sample code that runs without changes. */
export type StartingPoint = {
  readonly name: string
  readonly text: string
  readonly code: string
  readonly configuration: Readonly<Record<string, string>>
  /** Sample args; `<token>` is a placeholder for a token's ID. */
  readonly args: string
  /** Permissions that the reactor's application needs; empty if the code needs none. */
  readonly needs: readonly Permission[]
}

/** The placeholder for a token in `args`. */
export const TOKEN = '<token>'

const tokenizeResponse: StartingPoint = {
  name: 'Tokenize a response',
  text: 'Takes a provider’s response and returns it with a token in place of the card, so your program never sees the number.',
  code: `// What is under \`tokenize\` becomes tokens; the caller gets them under \`tokens\`.
module.exports = async function (req) {
  const { card, ...rest } = req.args.response

  return {
    raw: rest,
    tokenize: {
      card: {
        type: 'card',
        data: {
          number: card.number,
          expiration_month: card.expiration_month,
          expiration_year: card.expiration_year,
        },
      },
    },
  }
}
`,
  configuration: {},
  args: `{
  "response": {
    "status": "approved",
    "card": {
      "number": "4242424242424242",
      "expiration_month": 12,
      "expiration_year": 2035
    }
  }
}`,
  needs: [],
}

const signRequest: StartingPoint = {
  name: 'Sign a request',
  text: 'Signs a body with a secret from the configuration, so that the secret stays in the vault. Returns the headers to send.',
  code: `const crypto = require('crypto')

module.exports = async function (req) {
  const { method, path, body } = req.args
  const timestamp = new Date().toISOString()
  const text = [timestamp, method, path, JSON.stringify(body)].join('\\n')

  return {
    raw: {
      headers: {
        'X-Timestamp': timestamp,
        'X-Signature': crypto
          .createHmac('sha256', req.configuration.secret)
          .update(text)
          .digest('hex'),
      },
    },
  }
}
`,
  configuration: { secret: 'replace-with-the-secret' },
  args: `{
  "method": "POST",
  "path": "/v1/charges",
  "body": { "amount": 1000, "currency": "eur" }
}`,
  needs: [],
}

const lookUpCard: StartingPoint = {
  name: 'Look up a card’s details',
  text: 'Reads a card token with the reactor’s client and returns its brand and last digits, never its number.',
  code: `module.exports = async function (req) {
  const token = await req.bt.tokens.retrieve(req.args.token_id)
  const { brand, funding, bin, last4 } = token.card ?? {}

  return { raw: { brand, funding, bin, last4 } }
}
`,
  configuration: {},
  args: `{
  "token_id": "${TOKEN}"
}`,
  needs: ['token:read'],
}

const splitName: StartingPoint = {
  name: 'Split a name',
  text: 'Splits a full name into first and last name. An expression in the args can take the name from a token.',
  code: `module.exports = async function (req) {
  const words = String(req.args.name).trim().split(/\\s+/)
  const last = words.length > 1 ? words.pop() : ''

  return { raw: { first_name: words.join(' '), last_name: last } }
}
`,
  configuration: {},
  args: `{
  "name": "Ada King Lovelace"
}`,
  needs: [],
}

const callProvider: StartingPoint = {
  name: 'Call a provider',
  text: 'Calls a payment provider through the vault’s proxy, which inserts the card. The sample calls an echo service inside Coffer; for your provider, change the URL and allow its host in Destinations.',
  code: `// Expressions in the body are replaced by the proxy, so the code never holds the number.
module.exports = async function (req) {
  const { token_id, amount } = req.args

  const answer = await req.bt.proxy.post({
    path: '/v1/charges',
    headers: { 'BT-PROXY-URL': req.configuration.provider },
    body: { number: \`{{ \${token_id} | json: '$.number' }}\`, amount },
  })

  return { raw: { answer } }
}
`,
  configuration: { provider: 'https://echo.coffer.test' },
  args: `{
  "token_id": "${TOKEN}",
  "amount": 1000
}`,
  needs: ['proxy:invoke'],
}

/** The sample reactors. Their names are used in the route's query. */
export const gallery = {
  tokenize: tokenizeResponse,
  sign: signRequest,
  lookup: lookUpCard,
  split: splitName,
  provider: callProvider,
} as const satisfies Record<string, StartingPoint>
