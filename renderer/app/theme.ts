import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'
import type { MouseEvent } from 'react'
import { strings as ui } from '../ui/strings.ts'

const isShades = (shades: readonly string[]): shades is MantineColorsTuple => shades.length === 10

/**
 * The shades of a colour, from the lightest to the darkest. Importing Mantine's function for this splits the first screen
 * into more files, which are larger.
 */
function toShades(text: string): MantineColorsTuple {
  const shades = text.split(' ')
  if (!isShades(shades)) throw new Error('A colour has ten shades.')
  return shades
}

const colors = {
  teal: toShades('#effcf9 #d5f5ee #a9e9dc #75d8c7 #43bfae #1f9f90 #0f766e #0d6b64 #0b5a55 #094843'),
  gray: toShades('#fafafb #f4f4f6 #ebebee #dedee3 #cbcbd2 #a6a6b0 #80808b #62626c #3f3f47 #26262c'),
  dark: toShades('#ececf0 #c9c9d1 #a5a5af #85858f #4a4a53 #3a3a42 #2b2b31 #1c1c20 #17171a #111114'),
  amber: toShades('#fff8e8 #ffefcc #ffdf9b #ffcd64 #fbbb38 #eda71b #b87506 #8f5a05 #6f4604 #4f3203'),
  red: toShades('#fff1f0 #ffe0de #fdc0bc #f79b95 #ee746c #e25047 #c2332b #a82a23 #88231d #681a16'),
}

const small = { defaultProps: { size: 'xs' } }
/**
 * Renders a list of choices inline, so that screen readers read it right after its field, and at a fixed
 * position, so that no scrolling ancestor clips it.
 */
const comboboxProps = { withinPortal: false, floatingStrategy: 'fixed' } as const
/** The list element itself scrolls, so that it follows the arrow keys. */
const choices = {
  size: 'xs',
  comboboxProps,
  withScrollArea: false,
  styles: { options: { maxHeight: 260, overflowY: 'auto' } },
}

/** Neutral greys, one accent colour, amber for revealed or dangerous content, red for errors and deletion. */
export const theme = createTheme({
  primaryColor: 'teal',
  primaryShade: { light: 6, dark: 6 },
  colors,
  white: '#ffffff',
  black: '#1b1b1f',
  defaultRadius: 6,
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily:
    "-apple-system, 'Segoe UI', Inter, Cantarell, Ubuntu, 'Noto Sans', 'Liberation Sans', Arial, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', Menlo, Consolas, 'Liberation Mono', monospace",
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  spacing: { xs: '6px', sm: '10px', md: '14px', lg: '20px', xl: '28px' },
  radius: { xs: '3px', sm: '4px', md: '6px', lg: '8px', xl: '12px' },
  fontWeights: { regular: '400', medium: '500', bold: '600' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '16px', lineHeight: '24px' },
      h2: { fontSize: '14px', lineHeight: '20px' },
      h3: { fontSize: '13px', lineHeight: '18px' },
    },
  },
  components: {
    Button: { defaultProps: { size: 'xs', fw: 500 } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 26 } },
    TextInput: small,
    Textarea: small,
    PasswordInput: small,
    NumberInput: small,
    Select: {
      defaultProps: {
        ...choices,
        checkIconPosition: 'right',
        allowDeselect: false,
        selectFirstOptionOnChange: true,
        // Typing into a searchable select replaces the current choice.
        onClick({ currentTarget: input }: MouseEvent<HTMLInputElement>) {
          if (!input.readOnly && input.selectionStart === input.selectionEnd) input.select()
        },
      },
    },
    Combobox: { defaultProps: comboboxProps },
    MultiSelect: { defaultProps: choices },
    TagsInput: { defaultProps: choices },
    Autocomplete: { defaultProps: choices },
    Checkbox: small,
    Radio: small,
    Switch: small,
    SegmentedControl: small,
    Tooltip: { defaultProps: { openDelay: 400, transitionProps: { duration: 80 }, fz: 12 } },
    Menu: {
      defaultProps: {
        transitionProps: { duration: 80 },
        shadow: 'md',
        offset: 4,
        width: 220,
        // Rendered inline, a menu belongs to its button's landmark.
        withinPortal: false,
        // The placeholder is not a menu item, so it may not be inside the menu.
        withInitialFocusPlaceholder: false,
      },
    },
    Popover: { defaultProps: { transitionProps: { duration: 80 }, shadow: 'md', offset: 4 } },
    // No scroll lock: the page itself never scrolls, and the lock would inject its own style tag.
    Modal: {
      defaultProps: {
        lockScroll: false,
        centered: true,
        transitionProps: { duration: 100 },
        overlayProps: {
          backgroundOpacity: 0.4,
          // Pressing the mouse on the backdrop would move the focus out of the dialog.
          onMouseDown: (event: MouseEvent) => event.preventDefault(),
        },
        closeButtonProps: { 'aria-label': ui.close },
        // The page has one banner landmark, and a dialog's header must not be another.
        attributes: { header: { role: 'presentation' } },
      },
    },
  },
})

/** Maps Mantine's variables to the variables of this theme, so that Mantine's components match ours. */
export const getThemeVariables: CSSVariablesResolver = () => {
  const shared = {
    '--mantine-color-text': 'var(--text)',
    '--mantine-color-body': 'var(--bg)',
    '--mantine-color-dimmed': 'var(--text-dim)',
    '--mantine-color-placeholder': 'var(--text-faint)',
    '--mantine-color-error': 'var(--red)',
    '--mantine-color-anchor': 'var(--accent-text)',
    '--mantine-color-default-border': 'var(--line-strong)',
    '--mantine-color-default-hover': 'var(--bg-hover)',
  }
  return {
    variables: {},
    light: { ...shared, '--mantine-color-default': '#ffffff' },
    dark: { ...shared, '--mantine-color-default': '#25252a' },
  }
}
