import { SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { useBaseUrl } from '../../../parts/connection/base-url.ts'
import type { vault } from '../../../parts/connection/vault.ts'
import { confirmLeave, useOneTimeKey } from '../../../parts/navigation/unsaved.ts'
import { CopyRow } from '../../../parts/resource-screen/drawer-sections.tsx'
import formStyles from '../../../ui/form.module.css'
import { Icon } from '../../../ui/icon.tsx'
import { ActionButton } from '../../../ui/icon-buttons.tsx'
import { PropertyList } from '../../../ui/panel.tsx'
import { Code } from '../../../ui/text/code.tsx'
import styles from '../applications.module.css'
import { strings } from '../strings.ts'
import { type EncryptSnippetKind, formatEncryptSnippet } from './encrypt-snippet.ts'

const t = strings.clientKeys.once
const snippetKinds = ['jose', 'elements'] as const

export type CreatedClientKey = Awaited<ReturnType<typeof vault.clientKeys.create>>

/** A new key and its public key, which is shown only once, with code for a page. */
export function OneTimeClientKeyView({ created, onDone }: { created: CreatedClientKey; onDone: () => void }) {
  const [snippetKind, setSnippetKind] = useState<EncryptSnippetKind>('jose')
  const url = useBaseUrl()
  const { key_id, public_key_pem } = created
  const { isCopied, markCopied } = useOneTimeKey(public_key_pem)
  return (
    <section className={styles.clientKeyOnce} aria-label={t.title}>
      <h2>{t.title}</h2>
      <p role="status">
        {isCopied && <Icon name="check" size={14} />}
        {isCopied ? t.kept : t.text}
      </p>
      <PropertyList>
        <CopyRow name={strings.clientKeys.id} value={key_id} what={t.id} />
      </PropertyList>
      <Code text={public_key_pem} what={t.what} wrap onCopied={markCopied} />
      <SegmentedControl
        aria-label={t.way}
        data={snippetKinds.map((value) => ({ value, label: t.ways[value] }))}
        value={snippetKind}
        onChange={setSnippetKind}
      />
      <Code
        text={formatEncryptSnippet(snippetKind, { url, key_id, public_key_pem })}
        what={t.ways[snippetKind]}
        wrap
        onCopied={markCopied}
      />
      <span className={formStyles.note}>{t.help}</span>
      <div>
        <ActionButton label={t.done} onClick={() => confirmLeave(onDone)} />
      </div>
    </section>
  )
}
