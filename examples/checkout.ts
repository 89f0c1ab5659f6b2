/** The program under test: a shop that stores tokens instead of card numbers. */
export async function checkout(
  vault: { url: string; key: string },
  card: { number: string; expiration_month: number; expiration_year: number },
  order: string,
): Promise<{ token: string; last4: string }> {
  const request = {
    method: 'POST',
    headers: {
      'SVC-API-KEY': vault.key,
      // Retries send the same key, so an order is stored only once.
      'SVC-IDEMPOTENCY-KEY': order,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ type: 'card', data: card, metadata: { order } }),
  }
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(`${vault.url}/tokens`, request).catch(() => undefined)
    if (response?.status === 201) {
      const { id, card } = (await response.json()) as { id: string; card: { last4: string } }
      return { token: id, last4: card.last4 }
    }
    if (response && response.status < 500) throw new Error(`The card was refused with ${response.status}.`)
    if (attempt === 3) throw new Error('The vault does not answer.')
  }
}
