import { Button, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { useBaseUrl } from '../../../parts/connection/base-url.ts'
import type { vault } from '../../../parts/connection/vault.ts'
import { leaving, useShownOnce } from '../../../parts/navigation/unsaved.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Fact, Facts } from '../../../ui/panel.tsx'
import { Code } from '../../../ui/text/code.tsx'
import { CopyButton } from '../../../ui/text/copy-button.tsx'
import { strings } from '../strings.ts'
import { type EncryptWay, encryptCode } from './encrypt-code.ts'

const t = strings.clientKeys.once
const ways = ['jose', 'elements'] as const

export type CreatedClientKey = Awaited<ReturnType<typeof vault.clientKeys.create>>

/** A new key with its public half, which is shown only once, and how a page uses it. */
export function ClientKeyOnce({ made, onDone }: { made: CreatedClientKey; onDone: () => void }) {
  const [way, setWay] = useState<EncryptWay>('jose')
  const url = useBaseUrl()
  const { key_id, public_key_pem } = made
  const { isKept, keep } = useShownOnce(public_key_pem)
  return (
    <section className="client-key-once" aria-label={t.title}>
      <h2>{t.title}</h2>
      <p role="status">
        {isKept && <Icon name="check" size={14} />}
        {isKept ? t.kept : t.text}
      </p>
      <Facts>
        <Fact name={strings.clientKeys.id}>
          <span className="mono">{key_id}</span> <CopyButton value={key_id} what={t.id} />
        </Fact>
      </Facts>
      <Code text={public_key_pem} what={t.what} wrap onCopied={keep} />
      <SegmentedControl
        aria-label={t.way}
        data={ways.map((value) => ({ value, label: t.ways[value] }))}
        value={way}
        onChange={setWay}
      />
      <Code
        text={encryptCode(way, { url, key_id, public_key_pem })}
        what={t.ways[way]}
        wrap
        onCopied={keep}
      />
      <span className="part-help">{t.help}</span>
      <div>
        <Button variant="default" onClick={() => leaving(onDone)}>
          {t.done}
        </Button>
      </div>
    </section>
  )
}
