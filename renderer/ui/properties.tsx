import type { ReactNode } from 'react'
import { PropertyList, PropertyRow } from './panel.tsx'
import { MarkedText } from './text/marked-text.tsx'

type Props = { readonly of: Readonly<Record<string, ReactNode>> }

/** Names and their values, one pair per line. A name without a value is left out. */
export function Properties({ of }: Props) {
  const rows = Object.entries(of).filter(
    ([, value]) => value !== undefined && value !== null && value !== false,
  )
  return (
    <PropertyList>
      {rows.map(([name, value]) => (
        <PropertyRow key={name} name={name}>
          {typeof value === 'string' ? <MarkedText text={value} /> : value}
        </PropertyRow>
      ))}
    </PropertyList>
  )
}
