import type { ReactNode } from 'react'
import { type SectionName, sections } from './sections.ts'

type Props = { readonly name: SectionName; readonly text?: string; readonly children: ReactNode }

/** A section of the settings: a heading with an introduction, then its fields. */
export function Section({ name, text, children }: Props) {
  const title = sections[name]
  return (
    <section className="settings-section" aria-label={title}>
      <h2>{title}</h2>
      {text !== undefined && <p className="settings-text">{text}</p>}
      <div className="form">{children}</div>
    </section>
  )
}
