// The messages between the page's script, the frames of elements and the hidden data frame. Only types.
// SECURITY: values are never sent to `window.parent`, nor over a port that the page has ever held. They are
// sent only over ports that a frame has created itself and transferred to a sibling with its own origin.

export type ElementType =
  | 'card'
  | 'cardNumber'
  | 'cardExpirationDate'
  | 'cardVerificationCode'
  | 'text'
  | 'copyButton'

export type InputMode = 'decimal' | 'email' | 'none' | 'numeric' | 'search' | 'tel' | 'text' | 'url'

export type CardType = {
  niceType: string
  type: string
  patterns: readonly (number | readonly [number, number])[]
  gaps: readonly number[]
  lengths: readonly number[]
  code: { name: string; size: number }
}

/** CSS properties, or selectors such as `:hover` with properties, as the page passed them: unchecked. */
type Variant = { readonly [propertyOrSelector: string]: unknown }

type Style = {
  fonts?: readonly string[]
  base?: Variant
  complete?: Variant
  invalid?: Variant
  empty?: Variant
  container?: Variant
}

/**
 * The options of all element types. A frame reads only those of its own type, and checks each, because they
 * come from the page. In an update, a key with the value `undefined` restores its default.
 */
export type ElementOptions = {
  targetId?: string | undefined
  'aria-label'?: string | undefined
  title?: string | undefined
  placeholder?:
    | string
    | { cardNumber?: string; cardExpirationDate?: string; cardSecurityCode?: string }
    | undefined
  autoComplete?: string | { number?: string; expirationDate?: string; csc?: string } | undefined
  inputMode?: InputMode | undefined
  disabled?: boolean | undefined
  readOnly?: boolean | undefined
  style?: Style | undefined
  validateOnChange?: boolean | undefined
  value?:
    | string
    | { number?: string; expiration_month?: number; expiration_year?: number; cvc?: string }
    | { month: number; year: number }
    | undefined
  cardTypes?: readonly CardType[] | undefined
  skipLuhnValidation?: boolean | undefined
  iconPosition?: 'left' | 'right' | 'none' | undefined
  binLookup?: boolean | undefined
  coBadgedSupport?: readonly string[] | undefined
  preSelectedNetworks?: readonly string[] | undefined
  enableCopy?: boolean | undefined
  copyIconStyles?: { size?: string; color?: string; successColor?: string } | undefined
  cardBrand?: string | undefined
  maxElapsedExpirationYear?: number | undefined
  showSpacing?: boolean | undefined
  mask?: readonly (RegExp | string)[] | undefined
  transform?: RegExp | readonly [RegExp] | readonly [RegExp, string] | null | undefined
  validation?: RegExp | undefined
  maxLength?: number | undefined
  password?: boolean | undefined
  text?: string | undefined
  id?: string | undefined
}

export type FieldError = { targetId: string; type: 'incomplete' | 'invalid' }

export type ElementMetadata = {
  complete: boolean
  valid: boolean
  maskSatisfied: boolean
  empty: boolean
  errors?: readonly FieldError[] | undefined
}

export type CardMetadata = { cardBrand: string; cardLast4?: string; cardBin?: string }

type CardIssuer = { country?: string; name?: string }

export type BinInfo = {
  brand?: string
  funding?: string
  issuer?: CardIssuer
  segment?: string
  additional?: readonly { brand?: string; funding?: string; issuer?: CardIssuer }[]
}

export type ElementEvent =
  | { type: 'ready' }
  | ({ type: 'change'; binInfo?: BinInfo; selectedNetwork?: string } & ElementMetadata &
      Partial<CardMetadata>)
  | { type: 'focus'; targetId: string }
  | ({ type: 'blur'; targetId: string } & ElementMetadata)
  | {
      type: 'keydown'
      targetId: string
      key: 'Escape' | 'Enter'
      altKey: boolean
      ctrlKey: boolean
      shiftKey: boolean
      metaKey: boolean
    }
  | { type: 'click'; targetId: string }
  | { type: 'copy'; targetId: string }

/**
 * Errors are posted as data, and the page rebuilds them with the name and members of their class. In
 * `validation` of a BasisTheoryValidationError, `targetId` is the element's id if the element is not part
 * of a card. `shortened` lists the positions in `details` whose paths omit `data`.
 */
export type PlainError = { name: string; message: string; [member: string]: unknown }

/** Refers to a value in the data frame. The path cannot be guessed and reveals nothing to the page. */
export type Reference = { correlationId: string; elementId: string; path: string }
/** One reference, or for expiration dates and cards an object with one for each part. */
export type ReferenceTree = Reference | { readonly [part: string]: Reference | undefined }

/** Replaces an element in a payload. `format` is set if the method is `format`. */
export type Placeholder = { $element: string; method?: string; format?: string }

/** Frame → window.parent, once the frame listens, sent only to the origin in its URL. Has no other members. */
export type Listening = { coffer: 'listening'; id: string }

/** The only window message that a frame accepts from the page: the first, from window.parent, with one port. */
export type Hello = {
  coffer: 'elements'
  /** Identifies one call of `init`. */
  instance: string
  /** Identifies this element, or the data frame. */
  id: string
  /** The name of the data frame: `parent.frames[data]`. */
  data: string
  role: { type: ElementType; options: ElementOptions } | { type: 'data'; apiKey: string; debug: boolean }
}

/** Passed by `main.ts` to the code of a frame after the page's Hello. */
type StartedFrame = {
  instance: string
  id: string
  data: string
  /** The page's origin, which is the same in the Hello and in the frame's URL. */
  origin: string
  /** The port to the page. It starts when `onmessage` is set. */
  port: MessagePort
}
export type StartedElement = StartedFrame & { type: ElementType; options: ElementOptions }
export type StartedData = StartedFrame & { apiKey: string; debug: boolean }

/** Page → element frame, over the port. */
export type ToElement =
  | { kind: 'update'; call: number; options: ElementOptions }
  | { kind: 'do'; command: 'clear' | 'focus' | 'blur' | 'validate' }
  | { kind: 'set'; value: ReferenceTree; validate: boolean }
  | { kind: 'mirror' /** the id of the element to mirror */; source: string }

/** Element frame → page, over the port. Contains states, never values. */
export type FromElement =
  // Responses to Hello; `state` comes before `mounted`.
  | { kind: 'mounted' }
  | { kind: 'refused'; error: PlainError }
  | { kind: 'height'; px: number }
  // Posted before the event to which it belongs.
  | { kind: 'state'; metadata: ElementMetadata; cardMetadata?: CardMetadata }
  | { kind: 'event'; event: ElementEvent }
  | { kind: 'updated'; call: number; error?: PlainError }

export type Service =
  | 'tokens.create'
  | 'tokens.update'
  | 'tokens.retrieve'
  | 'tokens.encrypt'
  | 'tokenize'
  | 'tokenIntents.create'
  | 'proxy.get'
  | 'proxy.post'
  | 'proxy.put'
  | 'proxy.patch'
  | 'proxy.delete'
  | 'sessions.create'
  | 'client.get'
  | 'client.post'
  | 'client.put'
  | 'client.patch'
  | 'client.delete'

/** Page → data frame, over the port. */
export type ToData =
  /** `args` are the arguments of the page's call, with placeholders instead of elements. */
  | { kind: 'call'; call: number; service: Service; args: readonly unknown[] }
  /** The element was removed from the page: pending reads of it fail with "Element was removed from the DOM". */
  | { kind: 'forget'; element: string }

/** Data frame → page, over the port. */
export type FromData =
  // Responses to Hello.
  | { kind: 'mounted' }
  | { kind: 'refused'; error: PlainError }
  | { kind: 'answer'; call: number; value: unknown }
  | { kind: 'failed'; call: number; error: PlainError }

/**
 * Element frame → data frame, as a window message to `parent.frames[data]` with one transferred port and
 * the frame's own origin as target. The data frame accepts it only from its own origin, and only for its
 * own instance. The data frame listens before any element receives its Hello.
 */
export type Sibling = { coffer: 'sibling'; instance: string; id: string }

type Fault = 'incomplete' | 'invalid'
/** Null if the value is complete and valid. A card lists its parts. */
export type ElementProblem = null | Fault | { readonly [part: string]: Fault }

/** Data frame → element frame, over the sibling's port. */
export type DataToElement =
  | { kind: 'read'; call: number; method?: string; format?: string }
  | { kind: 'resolved'; call: number; value: unknown }
  /** The reference does not exist, or does not belong to this page. */
  | { kind: 'unresolved'; call: number }
  /** Another element mirrors this one: send its value now and after each change, each time as a `now` message. */
  | { kind: 'follow' }
  | { kind: 'mirrored'; value: unknown }
  | { kind: 'bin'; call: number /** the response body; undefined without a response */; details: unknown }

/** Element frame → data frame, over the sibling's port. */
export type ElementToData =
  | {
      kind: 'value'
      call: number
      problem: ElementProblem
      value?: unknown
      /** Whether a part of the value was set by reference or mirrored. */
      revealed?: boolean
    }
  | { kind: 'resolve'; call: number; reference: Reference }
  | { kind: 'mirror'; source: string }
  | { kind: 'now'; value: unknown }
  /** Requests the details of a card number's first six digits. */
  | { kind: 'bin'; call: number; bin: string }
