import type { ReactNode } from 'react'
import formStyles from '../../ui/form.module.css'
import { type SectionName, sections } from './sections.ts'
import styles from './settings.module.css'

type Props = { readonly name: SectionName; readonly text?: string; readonly children: ReactNode }

/** A section of the settings: a heading with an introduction, then its fields. */
export function Section({ name, text, children }: Props) {
  const title = sections[name]
  return (
    <section className={styles.section} aria-label={title}>
      <h2>{title}</h2>
      {text !== undefined && <p className={styles.text}>{text}</p>}
      <div className={formStyles.root}>{children}</div>
    </section>
  )
}
