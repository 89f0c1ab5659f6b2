import { toCardNumber } from './vault.ts'

/** The container of the few tokens that a rule's conditions may name. */
export const FEW_CONTAINER = '/few/'
export const FEW_TOKENS = 20
/** A metadata pair for each term of a long search. */
export const TERMS = 20

/** Creates card tokens with metadata in two containers; the first few are in a third one, with their own masks. */
export function* createVariedTokens(from: number, to: number) {
  for (let at = from; at < to; at++) {
    const card = {
      type: 'card',
      data: { number: toCardNumber(at), expiration_month: 12, expiration_year: 2030 },
      metadata: { customer: `cus_${at % 100_000}`, plan: at % 2 ? 'gold' : 'free' },
    }
    if (at >= FEW_TOKENS) yield { ...card, containers: [at % 5 ? '/pci/high/' : '/general/low/'] }
    else {
      const pairs = Array.from({ length: TERMS - 1 }, (_, term) => [`term_${term}`, 'few'])
      yield {
        ...card,
        id: getFewId(at),
        metadata: { ...card.metadata, ...Object.fromEntries(pairs) },
        containers: [FEW_CONTAINER],
        mask: { number: '{{ data.number | reveal_last: 4 }}', expiration_year: '{{ data.expiration_year }}' },
      }
    }
  }
}

export function getFewId(at: number): string {
  return `one-of-few-${String(at).padStart(4, '0')}`
}
