/** The only product. The page shows it, and the server charges for it. */
export const product = { name: 'The Book of Hours', price: 1999, currency: 'EUR' } as const

/** `19.99 €` */
export const price = new Intl.NumberFormat('en-IE', { style: 'currency', currency: product.currency }).format(
  product.price / 100,
)
