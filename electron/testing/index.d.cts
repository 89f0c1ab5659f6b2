// The types of `coffer/testing`, self-contained: a project that uses it does not need Coffer's sources to check them.

/** An application of a seed. */
export type SeedApplication = {
  name: string
  type: 'private' | 'public' | 'management'
  /** Fixed; only an in-memory vault takes one. */
  key?: string
  permissions?: string[]
  rules?: {
    description?: string
    priority: number
    container?: string
    conditions?: { attribute: 'id' | 'container'; operator: 'starts_with' | 'equals'; value: string }[]
    transform: 'mask' | 'redact' | 'reveal'
    permissions: string[]
  }[]
  expires_at?: string
}

/** A token of a seed, as `POST /tokens` takes it. */
export type SeedToken = { type: string; data: unknown; id?: string } & Record<string, unknown>

/** A proxy of a seed, as `POST /proxies` takes it; its application is one of the seed, by name. */
export type SeedProxy = {
  name: string
  destination_url: string
  application?: { name: string }
} & Record<string, unknown>

/**
 * A reactor of a seed, as `POST /reactors` takes it; its application is one of the seed, by name. Its code may be in a
 * file, relative to the seed file, or to the working directory where the seed is written in code.
 */
export type SeedReactor = {
  name: string
  code?: string
  file?: string
  application?: { name: string }
} & Record<string, unknown>

/** A webhook of a seed, as `POST /webhooks` takes it. It receives no events for the seed itself. */
export type SeedWebhook = { name: string; url: string; events: string[]; notify_email?: string }

/** A document of a seed: a text, or a file as for reactors. Documents cannot be listed, so set an id to find it. */
export type SeedDocument = {
  /** A UUID. */
  id?: string
  text?: string
  file?: string
  content_type?: string
  metadata?: Record<string, string>
}

/** Where proxies may call; without any, only this machine. */
export type Destinations = {
  /** Hosts (`api.example.com`, `*.example.com`, `*`), addresses and networks (`10.0.0.7`, `10.0.0.0/8`). */
  readonly allow?: readonly string[] | undefined
  /** Redirects calls for an address to a stand-in: `{ 'https://api.example.com': 'http://127.0.0.1:12111' }`. */
  readonly map?: Readonly<Record<string, string>> | undefined
}

/** The initial contents of a vault, as in a seed file. */
export type Seed = {
  tenant?: {
    name?: string
    settings?: Record<string, string | number | boolean>
    /** An email address. Coffer sends no mail. */
    security_contact?: string
  }
  applications?: SeedApplication[]
  proxies?: SeedProxy[]
  reactors?: SeedReactor[]
  webhooks?: SeedWebhook[]
  /** Client encryption keys to create; `client_keys` of the running vault has their public keys. */
  client_keys?: { expires_at?: string }[]
  /** Invitations, valid for 72 hours. Coffer sends no mail. */
  invitations?: { email: string; role?: 'ADMIN' | 'READ_ONLY' }[]
  /** Merchants, as `POST /tenants/self/merchants` takes them. */
  merchants?: { name: string; details?: Record<string, unknown> }[]
  /** Merchants of wallets; the PKCS#12 files have the keys that decrypt payments. Set an id to name one in payments. */
  wallet_merchants?: {
    id?: string
    wallet: 'apple' | 'google'
    merchant_identifier: string
    certificates?: { file: string; password: string }[]
  }[]
  /** Domains that are registered for Apple Pay. */
  wallet_domains?: string[]
  /** Enrollments, as `POST /agentic/enrollments` takes them. */
  enrollments?: { token_id: string; consumer: { email: string }; [member: string]: unknown }[]
  documents?: SeedDocument[]
  tokens?: SeedToken[]
  /** Network tokens of these cards, as `POST /network-tokens` takes them. */
  network_tokens?: Record<string, unknown>[]
  /** Tokens to generate: `{n}` in the id and metadata is their number, from 1. */
  generate?: ({ type: string; count: number; id?: string } & Record<string, unknown>)[]
  /** The seed for generated data: the same number gives the same data. */
  random?: number
  destinations?: Destinations
  /** Whether the code of reactors and of transforms may run. */
  run_reactors?: boolean
}

/** Which calls a fault hits, how often, and what happens to them. It needs `delay_ms`, `status` or `cut`. */
export type Fault = {
  name: string
  /** `tokens.create` or `tokens.*`; every operation if none is named. */
  operations?: string[] | undefined
  delay_ms?: number | undefined
  status?: number | undefined
  /** The `Retry-After` of that response, in seconds. */
  retry_after?: number | undefined
  /** Close the connection instead of responding. */
  cut?: boolean | undefined
  /** `after`: the operation is done, and only its response is lost. */
  when?: 'before' | 'after' | undefined
  /** The share of calls it hits, above 0 and up to 1. */
  share?: number | undefined
  /** The maximum number of calls it hits. */
  count?: number | undefined
}

export type CofferOptions = {
  /** The initial contents: a seed, or the path of a seed file. Without one: three starter applications. */
  readonly seed?: Seed | string
  /** Faults that are set from the start. */
  readonly faults?: readonly Fault[]
  /** 0, the default, picks a free port. */
  readonly port?: number
  /** Origins of web pages that may call the listener. */
  readonly origins?: readonly string[]
  /** Where proxies may call, in addition to the destinations of the seed. A reset keeps them. */
  readonly destinations?: Destinations
  /**
   * Runs the code of reactors and of transforms: programs with network access. The path of a folder also stores every
   * `NAME.js` in it as a reactor; a `reactors.yml` in the same folder may set applications, by name, and configuration.
   */
  readonly reactors?: boolean | string
  /** Rejects requests with unknown members or parameters, which are otherwise ignored and named in `Coffer-Ignored`. */
  readonly strict?: boolean
  /**
   * Also answers by HTTPS under the names of the hosted service, such as `https://api.basistheory.com`, and the mapped
   * destinations. Programs that the test starts with `environment` find them.
   */
  readonly asHosted?: boolean
  /** Runs in a separate process: for tests that block or stop their own event loop. */
  readonly beside?: boolean
  /** Print internal errors of the vault on standard error, with their stack and trace id. */
  readonly verbose?: boolean
}

/** An event, as in the field `event` of a delivery. */
export type CofferEvent = {
  id: string
  type: string
  timestamp: string
  tenant_id: string
  trace_id: string
  // biome-ignore lint/suspicious/noExplicitAny: the fields depend on the type, and tests read them.
  data: Record<string, any>
}

/** A webhook of a test. */
export type TestWebhook = {
  readonly id: string
  /** `http://localhost:3000/` */
  readonly url: string
  /** The public key that verifies BT-SIGNATURE, in PEM. */
  readonly key: string
  remove(): Promise<void>
}

/** An in-memory vault with its listener. */
export type RunningCoffer = {
  /** `http://127.0.0.1:49152` */
  readonly url: string
  readonly tenant_id: string
  /** A key of each type: of the seed's first application of that type, or of a starter application. */
  readonly keys: { readonly management: string; readonly private: string; readonly public: string }
  /** The client encryption keys of the seed, in its order. */
  readonly client_keys: readonly {
    readonly key_id: string
    readonly public_key_pem: string
    readonly expires_at: string
  }[]
  /** The variables with which a program finds the names of the hosted service; empty without `asHosted`. */
  readonly environment: Readonly<Record<string, string>>
  /** Restores the initial state: tokens, documents, applications, settings, log, clock, faults. */
  reset(): Promise<void>
  /** Saves the vault's current state; the returned function restores it, as often as needed. */
  snapshot(): Promise<() => Promise<void>>
  /** Moves the clock forward. Whatever has expired by then is removed. */
  advance(seconds: number): Promise<void>
  /** The time on the vault's clock. */
  now(): Promise<Date>
  /** Sets the clock. */
  setNow(moment: Date): Promise<void>
  /** Adds a fault; the returned function removes it. */
  fault(rule: Fault): Promise<() => Promise<void>>
  /**
   * The events since the start or the last reset, oldest first, without any webhook or server. Waits for the first
   * event; resolves to an empty list if none arrives in time.
   */
  events(options?: { type?: string; timeout_ms?: number }): Promise<CofferEvent[]>
  /** Adds a webhook that delivers events to a server of the test, on this machine. */
  webhook(port: number, options?: { path?: string; events?: readonly string[] }): Promise<TestWebhook>
  /** Stops the vault and removes everything. Safe to call again. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts an in-memory vault, with its listener, for tests: `const coffer = await startCoffer()`. Rejects with an error
 * that points to the mistake in the seed, or says that the port is taken.
 */
export function startCoffer(options?: CofferOptions): Promise<RunningCoffer>
