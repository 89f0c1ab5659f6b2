import { Button, Group, Portal, Stack } from '@mantine/core'
import { useState } from 'react'
import { MonoInput } from '../../ui/fields/mono-fields.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { strings as ui } from '../../ui/strings.ts'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { saveText } from '../../ui/text/save-text.ts'
import { useForm } from '../forms/use-form.ts'
import { useCloseWarning } from '../navigation/unsaved.ts'
import recoveryKeyStyles from './recovery-key.module.css'
import styles from './start-layout.module.css'
import { strings } from './strings.ts'

const t = strings.recovery

type Props = {
  readonly name: string
  readonly recovery_key: string
  readonly onSaved: () => void
  /** Discards the key. Set only while the key is not in effect yet. If set, the dialog has a cancel button. */
  readonly onCancel?: () => void
}

function normalizeKey(input: string): string {
  return input.trim().toUpperCase().replace(/O/g, '0').replace(/[IL]/g, '1')
}

/** Shows a recovery key once. Continues after the owner has typed a part of the key to prove that it was saved. */
export function RecoveryKey({ name, recovery_key, onSaved, onCancel }: Props) {
  const groups = recovery_key.split('-')
  const [askedGroup] = useState(() => Math.floor(Math.random() * groups.length))
  const form = useForm({
    initial: { typed: '' },
    check: ({ typed }): Readonly<Record<string, string>> =>
      normalizeKey(typed) === groups[askedGroup] ? {} : { typed: t.wrong(askedGroup + 1) },
    send: async () => onSaved(),
  })
  const numbered = groups.map((group, index) => ({ group, number: index + 1 }))

  useCloseWarning(true)

  return (
    <>
      <form onSubmit={form.submit}>
        <p className={styles.intro}>{onCancel ? t.draft : t.text}</p>
        <ol className={recoveryKeyStyles.root} aria-label={t.what}>
          {numbered.map(({ group, number }) => (
            <li key={number} className={recoveryKeyStyles.group}>
              {group}
            </li>
          ))}
        </ol>
        <Stack gap="md">
          <Group gap="xs">
            <ActionButton
              label={t.save}
              icon="download"
              onClick={() => saveText(t.saved(name), t.file(name, recovery_key))}
            />
            <ActionButton label={t.print} icon="print" onClick={() => window.print()} />
            <CopyButton value={recovery_key} what={t.what} label={ui.copy('')} secret />
          </Group>
          <MonoInput label={t.check(askedGroup + 1)} {...form.text('typed')} maxLength={8} w={320} />
          <Group justify="flex-end" gap="xs">
            {onCancel && <ActionButton label={ui.cancel} size="sm" onClick={onCancel} />}
            <Button type="submit" size="sm" disabled={form.values.typed.trim().length < 4}>
              {t.next}
            </Button>
          </Group>
        </Stack>
      </form>
      <Portal reuseTargetNode={false}>
        <div className={recoveryKeyStyles.printSheet} aria-hidden="true">
          <strong>{t.sheet(name)}</strong>
          <code>{recovery_key}</code>
          <p>{t.text}</p>
        </div>
      </Portal>
    </>
  )
}
