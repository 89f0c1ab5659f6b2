import type { ElementType, Options } from '../protocol.ts'

export type PartName = 'number' | 'expiration' | 'code' | 'text'

export type InputType = Exclude<ElementType, 'copyButton'>

export const partsOf: { readonly [type in InputType]: readonly PartName[] } = {
  card: ['number', 'expiration', 'code'],
  cardNumber: ['number'],
  cardExpirationDate: ['expiration'],
  cardVerificationCode: ['code'],
  text: ['text'],
}

/** The names of a card's inputs in events. */
export const cardTargets: { readonly [part in PartName]: string } = {
  number: 'cardNumber',
  expiration: 'expirationDate',
  code: 'cvc',
  text: 'text',
}

const labels: { readonly [part in PartName]: string } = {
  number: 'Card number',
  expiration: 'Expiration date',
  code: 'CVC',
  text: 'Text',
}

const placeholders: { readonly [part in PartName]: string } = {
  number: '1234 1234 1234 1234',
  expiration: 'MM/YY',
  code: 'CVC',
  text: '',
}

const stringOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** The member of an option that a card gives as an object. */
function ofPart(option: unknown, member: string): unknown {
  if (typeof option !== 'object' || option === null) return option
  return (option as { readonly [member: string]: unknown })[member]
}

/** The attributes of an input that options say as words. `codeName` is what the brand calls its code. */
export function wordsOf(
  part: PartName,
  options: Options,
  codeName: string | undefined,
): { label: string; placeholder: string; autoComplete: string } {
  const own = part === 'code' ? codeName : undefined
  const placeholderMember = {
    number: 'cardNumber',
    expiration: 'cardExpirationDate',
    code: 'cardSecurityCode',
    text: '',
  }
  const autoCompleteMember = { number: 'number', expiration: 'expirationDate', code: 'csc', text: '' }
  const placeholder = stringOf(ofPart(options.placeholder, placeholderMember[part]))
  return {
    label:
      stringOf(options['aria-label']) ??
      own ??
      (part === 'text' ? (placeholder ?? labels.text) : labels[part]),
    placeholder: placeholder ?? own ?? placeholders[part],
    autoComplete: stringOf(ofPart(options.autoComplete, autoCompleteMember[part])) ?? 'off',
  }
}
