import { Button, Popover, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Icon } from '../../../ui/icon.tsx'
import { strings } from '../strings.ts'

const t = strings.filters

type Field = { readonly name: string; readonly label: string; readonly value: string }

type Props = {
  readonly label: string
  readonly help: string
  readonly fields: readonly Field[]
  /** The current value, shown on the button; undefined if not set. */
  readonly shown: string | undefined
  readonly onApply: (values: Readonly<Record<string, string>>) => void
  readonly onClear: () => void
}

/** A filter to type: a button with a small form below it. */
export function FilterPopover({ label, help, fields, shown, onApply, onClear }: Props) {
  const [opened, setOpened] = useState(false)
  return (
    <Popover opened={opened} onChange={setOpened} width={300} position="bottom-start" trapFocus>
      <Popover.Target>
        <Button
          variant={shown === undefined ? 'default' : 'light'}
          onClick={() => setOpened(!opened)}
          rightSection={<Icon name="down" size={12} />}
        >
          <span className="filter-value clip">{shown ?? label}</span>
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={label}>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            const values = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>
            setOpened(false)
            onApply(values)
          }}
        >
          <Stack gap="xs">
            {fields.map(({ name, label, value }, index) => (
              <TextInput
                key={name}
                name={name}
                label={label}
                defaultValue={value}
                classNames={{ input: 'mono' }}
                spellCheck={false}
                required
                withAsterisk={false}
                data-autofocus={index === 0 || undefined}
              />
            ))}
            <Text size="xs" c="dimmed">
              {help}
            </Text>
            <Button type="submit">{t.apply}</Button>
            {shown !== undefined && (
              <Button
                variant="default"
                onClick={() => {
                  setOpened(false)
                  onClear()
                }}
              >
                {t.remove(label)}
              </Button>
            )}
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}
