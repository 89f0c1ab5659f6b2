import { Button, Group } from '@mantine/core'
import { strings } from '../strings.ts'
import { Dialog } from '../ui/dialog.tsx'
import { discardTyped, keepTyped, useKept, useUnsaved } from '../unsaved.ts'

const t = strings.frame.unsaved

/** Asks before what was typed into a form is lost. */
export function UnsavedQuestion() {
  const { asked, forms } = useUnsaved()
  useKept(forms.length > 0)
  if (!asked) return null
  return (
    <Dialog onClose={keepTyped} title={t.title} size={340} closeOnClickOutside={false}>
      <Group justify="flex-end" gap="xs" pt={4}>
        <Button variant="default" onClick={keepTyped} data-autofocus>
          {t.keep}
        </Button>
        <Button color="red" onClick={discardTyped}>
          {t.discard}
        </Button>
      </Group>
    </Dialog>
  )
}
