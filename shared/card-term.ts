const specialBrandNames: Readonly<Record<string, string>> = { ebt: 'EBT', jcb: 'JCB', unionpay: 'UnionPay' }

/** Formats a brand or a kind of funding as a name, such as `American Express` (rule M-01). */
export function formatCardTerm(name: string): string {
  const titleCased = name.replaceAll('-', ' ').replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
  return specialBrandNames[name] ?? titleCased
}
