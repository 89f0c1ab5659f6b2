import { randomUUID } from 'node:crypto'

export type Order = {
  readonly id: string
  /** The 3D Secure session of the card that pays for the order; undefined for a payment with a wallet. */
  readonly session: string | undefined
  status: 'open' | 'processing' | 'paid' | 'declined' | 'failed'
}

/** The orders of the shop, in memory. Each change is logged. */
export class Orders {
  readonly #orders = new Map<string, Order>()

  open(session?: string): Order {
    const order: Order = { id: randomUUID(), session, status: 'open' }
    this.#orders.set(order.id, order)
    return this.set(order, 'open')
  }

  get(id: string): Order | undefined {
    return this.#orders.get(id)
  }

  set(order: Order, status: Order['status']): Order {
    order.status = status
    console.log(`Order ${order.id}: ${status}`)
    return order
  }
}
