import { cardNumber } from './vault.ts'

/** The container of the few tokens that a rule's conditions may name. */
export const fewContainer = '/few/'
export const few = 20
/** A metadata pair for each term of a long search. */
export const terms = 20

/** Creates card tokens with metadata in two containers; the first few are in a third one, with their own masks. */
export function* variedTokens(from: number, to: number) {
  for (let at = from; at < to; at++) {
    const card = {
      type: 'card',
      data: { number: cardNumber(at), expiration_month: 12, expiration_year: 2030 },
      metadata: { customer: `cus_${at % 100_000}`, plan: at % 2 ? 'gold' : 'free' },
    }
    if (at >= few) yield { ...card, containers: [at % 5 ? '/pci/high/' : '/general/low/'] }
    else {
      const pairs = Array.from({ length: terms - 1 }, (_, term) => [`term_${term}`, 'few'])
      yield {
        ...card,
        id: idOfFew(at),
        metadata: { ...card.metadata, ...Object.fromEntries(pairs) },
        containers: [fewContainer],
        mask: { number: '{{ data.number | reveal_last: 4 }}', expiration_year: '{{ data.expiration_year }}' },
      }
    }
  }
}

export function idOfFew(at: number): string {
  return `one-of-few-${String(at).padStart(4, '0')}`
}
