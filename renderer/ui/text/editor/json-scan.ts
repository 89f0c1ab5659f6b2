export type TextRange = { readonly from: number; readonly to: number }

/** What may come next at the end of a text. */
export type JsonPlace = {
  /** The names and indexes of the containers around it, and of the value itself. */
  readonly path: readonly string[]
  readonly expects: 'name' | 'value' | 'nothing'
  /** The members that the object around it already has. */
  readonly present: readonly string[]
  /** The string, number or word that ends here, with its opening quote; empty if none does. */
  readonly typed: string
}

type JsonScan = {
  /** The values by path, as the vault writes it: `data.items[0]`. The whole text has the path `body`. */
  readonly values: ReadonlyMap<string, TextRange>
  /** The names of members, by the path of their values. */
  readonly names: ReadonlyMap<string, TextRange>
  /** The first offset that breaks the grammar; null if none does. */
  readonly errorAt: number | null
  readonly end: JsonPlace
}

type ExpectedToken = 'name' | 'colon' | 'value' | 'comma'

type JsonContainer = {
  readonly close: '}' | ']' | ''
  readonly from: number
  readonly present: string[]
  /** The name or index of the current value. */
  key: string
  index: number
  expects: ExpectedToken
}

/** A string, a placeholder of the environment, a punctuation mark, or a number or word. */
const tokens = /"(?:\\.|[^"\\\n])*"?|\$\{\w*\}?|[{}[\],:]|[^\s{}[\],:"]+/g
const scalars =
  /^(?:"(?:\\.|[^"\\\n])*"|\$\{\w+\}|true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

/** Formats a path as the vault writes it in its messages. */
function formatPath(path: readonly string[]): string {
  return path.reduce((all, part) => (/^\[/.test(part) || all === '' ? all + part : `${all}.${part}`), '')
}

/** Scans JSON, also while it is incomplete or has placeholders such as `${amount}` in place of values. */
export function scanJson(text: string): JsonScan {
  const scanner = new JsonScanner()
  let end = { token: '', at: 0 }
  for (const { 0: token, index } of text.matchAll(tokens)) {
    scanner.readToken(token, index)
    end = { token, at: index + token.length }
  }
  const { values, names, frames } = scanner
  const isEmpty = end.at === 0
  const errorAt = scanner.errorAt ?? (isEmpty || scanner.isComplete() ? null : end.at)
  return { values, names, errorAt, end: describeEnd(frames, end.at === text.length ? end.token : '') }
}

class JsonScanner {
  readonly values = new Map<string, TextRange>()
  readonly names = new Map<string, TextRange>()
  readonly #root = createFrame('', 0)
  readonly frames = [this.#root]
  errorAt: number | null = null

  isComplete(): boolean {
    return this.frames.length === 1 && this.#root.expects === 'comma'
  }

  readToken(token: string, from: number): void {
    const frame = this.#getFrame()
    const to = from + token.length
    if (!acceptToken(frame, token)) this.errorAt ??= from
    if (token === '{' || token === '[') this.frames.push(createFrame(token === '{' ? '}' : ']', from))
    else if (token === frame.close) {
      this.frames.pop()
      this.#endValue(frame.from, to)
    } else if (token === ':') frame.expects = 'value'
    else if (token === ',') startNext(frame)
    else if (frame.expects === 'name' && token.startsWith('"')) {
      startMember(frame, token)
      this.names.set(this.#getPath(), { from, to })
    } else if (frame.expects === 'value') this.#endValue(from, to)
  }

  #getFrame(): JsonContainer {
    return this.frames.at(-1) ?? this.#root
  }

  #getPath(): string {
    return formatPath(this.frames.slice(1).map(({ key }) => key)) || 'body'
  }

  #endValue(from: number, to: number): void {
    this.values.set(this.#getPath(), { from, to })
    this.#getFrame().expects = 'comma'
  }
}

function createFrame(close: JsonContainer['close'], from: number): JsonContainer {
  const key = close === ']' ? '[0]' : ''
  return { close, from, present: [], key, index: 0, expects: close === '}' ? 'name' : 'value' }
}

function startMember(frame: JsonContainer, token: string): void {
  frame.key = readName(token)
  frame.present.push(frame.key)
  frame.expects = 'colon'
}

function startNext(frame: JsonContainer): void {
  frame.index += 1
  if (frame.close === ']') frame.key = `[${frame.index}]`
  frame.expects = frame.close === '}' ? 'name' : 'value'
}

/** Whether the grammar allows a token here. */
function acceptToken({ close, expects, index, present }: JsonContainer, token: string): boolean {
  if (token === close) {
    const isEmpty = index === 0 && (close === '}' ? present.length === 0 : expects === 'value')
    return expects === 'comma' || isEmpty
  }
  if (token === ',') return expects === 'comma' && close !== ''
  if (token === ':') return expects === 'colon'
  if (expects === 'name') return token.startsWith('"') && scalars.test(token)
  return expects === 'value' && (token === '{' || token === '[' || scalars.test(token))
}

/** What may come at the end: a string or word that ends there may still be incomplete. */
function describeEnd(frames: readonly JsonContainer[], last: string): JsonPlace {
  const { expects: next = 'value', present = [] } = frames.at(-1) ?? {}
  const isTyping = last.startsWith('"') ? !scalars.test(last) : /^[\w$-]/.test(last)
  const isName = next === 'name' || (isTyping && next === 'colon')
  const isValue = next === 'value' || (isTyping && next === 'comma')
  const path = frames.slice(1).map(({ key }) => key)
  return {
    path: isName ? path.slice(0, -1) : path,
    expects: isName ? 'name' : isValue ? 'value' : 'nothing',
    present: isTyping && next === 'colon' ? present.slice(0, -1) : present,
    typed: isTyping ? last : '',
  }
}

function readName(token: string): string {
  try {
    return String(JSON.parse(token))
  } catch {
    // The name is still being typed.
    return token.slice(1)
  }
}
