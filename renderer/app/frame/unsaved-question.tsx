import { Button, Group } from '@mantine/core'
import { chooseLeave, chooseStay, useCloseWarning, useUnsaved } from '../../parts/navigation/unsaved.ts'
import { Dialog } from '../../ui/dialog.tsx'
import styles from './frame.module.css'
import { strings } from './strings.ts'

const t = strings.unsaved

/** Asks before the window discards unsaved input or a key that is shown only once. */
export function UnsavedQuestion() {
  const { pendingQuestion: question, forms, keys } = useUnsaved()
  useCloseWarning(forms.length + keys.length > 0)
  if (!question) return null
  const about = keys.length > 0 ? t.keys : t.typed
  return (
    <Dialog
      onClose={chooseStay}
      title={about.title(keys.length)}
      size={keys.length > 0 ? 420 : 340}
      closeOnClickOutside={false}
    >
      {keys.length > 0 && (
        <div className={styles.unsavedKeys}>
          <ul>
            {keys.map((key) => (
              <li key={key} className="mono">
                {key}
              </li>
            ))}
          </ul>
          <p>{t.keys.text(keys.length)}</p>
        </div>
      )}
      <Group justify="flex-end" gap="xs" pt={4}>
        <Button variant="default" onClick={chooseStay} data-autofocus>
          {about.stay(keys.length)}
        </Button>
        <Button color={keys.length > 0 ? 'teal' : 'red'} onClick={chooseLeave}>
          {about.leave(keys.length)}
        </Button>
      </Group>
    </Dialog>
  )
}
