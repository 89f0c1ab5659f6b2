import type { ComponentProps } from 'react'
import { Time } from './time.tsx'

/** A relative time in the faint colour of secondary text. */
export function FaintTime(props: ComponentProps<typeof Time>) {
  return <Time className="faint" {...props} />
}
