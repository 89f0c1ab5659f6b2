import type { ReactNode } from 'react'

/** A part of the settings: what it is about, then its fields. */
export function Section({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  return (
    <section className="settings-section" aria-label={title}>
      <h2>{title}</h2>
      {text !== undefined && <p className="settings-text">{text}</p>}
      <div className="form">{children}</div>
    </section>
  )
}
