import { z } from '../zod.ts'

/** Whether the names of the hosted service are answered on this machine (rule H-01). */
export const asHostedState = z.discriminatedUnion('state', [
  z.object({ state: z.literal('off') }),
  z.object({ state: z.literal('opening') }),
  z.object({
    state: z.literal('on'),
    /** The origins that are answered, by what each stands for. The owner maps those of `mapped`. */
    names: z.array(
      z.object({
        origin: z.string(),
        role: z.enum(['api', 'scripts', 'three-ds', 'cdn', 'echo', 'mapped']),
      }),
    ),
    /** The port of the front, which ends TLS for all of them. */
    port: z.int(),
    /** Whether the command line asked for it. Then it stays open until that command ends. */
    is_held: z.boolean(),
  }),
  z.object({ state: z.literal('failed'), reason: z.string() }),
])
export type AsHostedState = z.output<typeof asHostedState>

/** How a program reached Coffer: by the preload, through the proxy, at the TLS front itself, or at the listener. */
const connectionRoute = z.enum(['preload', 'proxy', 'direct', 'listener'])
export type ConnectionRoute = z.output<typeof connectionRoute>

const connectionOutcome = z.enum([
  /** Coffer answered as the hosted service. */
  'answered',
  /** The request went to the destination that the owner maps. */
  'mapped',
  /** The program was connected to an allowed destination. */
  'connected',
  /** It would have left this machine, and the destination is not allowed. */
  'refused',
  /** The proxy forwards nothing without TLS. */
  'plain',
  /** The destination is allowed, but the program did not have the password of the proxy. */
  'without_password',
  /** The destination could not be reached. */
  'failed',
  /** The program rejected the certificate. */
  'untrusted',
  /** The program asked the front for a name that is not answered. */
  'unknown_name',
])
export type ConnectionOutcome = z.output<typeof connectionOutcome>

/** The requests and connections of one program that had the same route, host and outcome. */
const hostedConnection = z.object({
  route: connectionRoute,
  /** The host that the program asked for, with a port other than 443. */
  host: z.string(),
  outcome: connectionOutcome,
  /** What the program calls itself in its User-Agent; null if it sends none. */
  program: z.string().nullable(),
  count: z.int(),
  last_at: z.string(),
})
export type HostedConnection = z.output<typeof hostedConnection>

/** What a program needs to find the front, and what has come. */
export const asHostedDetails = z.object({
  /** Null while the front is not open. */
  access: z
    .object({
      /** A file that sets the variables in a POSIX shell. */
      shell_file: z.string(),
      /** The arguments with which Chromium finds the front and trusts it. */
      chromium: z.array(z.string()),
    })
    .nullable(),
  /** The newest first. */
  connections: z.array(hostedConnection),
})
export type AsHostedDetails = z.output<typeof asHostedDetails>
