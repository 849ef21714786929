import {
  type ActionIconProps,
  type CheckboxProps,
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type MenuProps,
  type ModalProps,
  type NotificationProps,
  type PaperProps,
  type PopoverProps,
  type RadioProps,
  type SelectProps,
  type SwitchProps,
  type TooltipProps,
} from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';

/** Shade 6 is `--accent` in the light scheme, shade 4 in the dark scheme. */
const accent: MantineColorsTuple = [
  '#ECEEFA',
  '#DCDFF6',
  '#C3C8EE',
  '#A5ADF7',
  '#8C95F0',
  '#6570DB',
  '#4450C4',
  '#3742A8',
  '#2D3789',
  '#21254A',
];

/** Overrides Mantine's greys, so that unstyled parts use our neutral colours. */
const gray: MantineColorsTuple = [
  '#FAFBFC',
  '#F6F7F9',
  '#EEF0F3',
  '#E3E6EA',
  '#CBD0D7',
  '#A6AEB8',
  '#858E99',
  '#626C78',
  '#47505B',
  '#14181D',
];
const dark: MantineColorsTuple = [
  '#E8EBEE',
  '#B1B9C3',
  '#8D96A2',
  '#6C7682',
  '#3A414A',
  '#262B32',
  '#15181C',
  '#121518',
  '#101216',
  '#0E1013',
];

export const theme = createTheme({
  fontFamily: 'var(--font-sans)',
  fontFamilyMonospace: 'var(--font-mono)',
  fontSizes: { xs: '11px', sm: '12px', md: '13px', lg: '15px', xl: '18px' },
  lineHeights: { xs: '16px', sm: '16px', md: '20px', lg: '24px', xl: '28px' },
  headings: { fontFamily: 'var(--font-sans)', fontWeight: '600' },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  radius: { xs: '3px', sm: '5px', md: '8px', lg: '8px', xl: '8px' },
  defaultRadius: 'sm',
  colors: { accent, gray, dark },
  primaryColor: 'accent',
  primaryShade: { light: 6, dark: 4 },
  focusRing: 'auto',
  cursorType: 'pointer',
  respectReducedMotion: true,
  shadows: { xs: 'none', sm: 'none', md: 'var(--shadow-overlay)', lg: 'var(--shadow-overlay)' },
  variantColorResolver: (input) => {
    const isAccent = input.color === undefined || input.color === 'accent';
    if (input.variant === 'filled' && isAccent) {
      const border = '1px solid transparent';
      return { background: 'var(--accent)', hover: 'var(--accent-hover)', color: 'var(--on-accent)', border };
    }
    return defaultVariantColorsResolver(input);
  },
  // Only types are imported, because the components are loaded with the pages that use them.
  components: {
    ActionIcon: {
      defaultProps: { variant: 'subtle', color: 'gray', size: 'md' } satisfies Partial<ActionIconProps>,
    },
    Notification: {
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } satisfies Partial<NotificationProps>,
    },
    Checkbox: {
      defaultProps: { size: 'xs', iconColor: 'var(--on-accent)' } satisfies Partial<CheckboxProps>,
    },
    Radio: { defaultProps: { size: 'xs', iconColor: 'var(--on-accent)' } satisfies Partial<RadioProps> },
    Switch: { defaultProps: { size: 'xs', withThumbIndicator: false } satisfies Partial<SwitchProps> },
    Paper: { defaultProps: { radius: 'md', withBorder: true } satisfies Partial<PaperProps> },
    Menu: { defaultProps: { shadow: 'md', position: 'bottom-end' } satisfies Partial<MenuProps> },
    Modal: { defaultProps: { radius: 'md', centered: true, shadow: 'md' } satisfies Partial<ModalProps> },
    Popover: { defaultProps: { shadow: 'md' } satisfies Partial<PopoverProps> },
    Select: { defaultProps: { allowDeselect: false } satisfies Partial<SelectProps> },
    Tooltip: {
      defaultProps: {
        openDelay: 250,
        events: { hover: true, focus: true, touch: true },
      } satisfies Partial<TooltipProps>,
    },
  },
});

/** Both schemes use the same names; tokens.css changes their values. */
const fromTokens: Record<string, string> = {
  '--mantine-color-body': 'var(--bg)',
  '--mantine-color-text': 'var(--text)',
  '--mantine-color-bright': 'var(--text)',
  '--mantine-color-dimmed': 'var(--text-3)',
  '--mantine-color-placeholder': 'var(--text-3)',
  '--mantine-color-default': 'var(--surface)',
  '--mantine-color-default-hover': 'var(--surface-2)',
  '--mantine-color-default-color': 'var(--text)',
  '--mantine-color-default-border': 'var(--line-strong)',
  '--mantine-color-disabled': 'var(--surface-3)',
  '--mantine-color-disabled-color': 'var(--text-3)',
  '--mantine-color-disabled-border': 'var(--line)',
  '--mantine-color-anchor': 'var(--accent-text)',
  '--mantine-color-error': 'var(--bad)',
  '--mantine-primary-color-filled': 'var(--accent)',
  '--mantine-primary-color-filled-hover': 'var(--accent-hover)',
  '--mantine-primary-color-light': 'var(--accent-weak)',
  '--mantine-primary-color-light-hover': 'var(--accent-weak)',
  '--mantine-primary-color-light-color': 'var(--accent-text)',
  '--mantine-primary-color-contrast': 'var(--on-accent)',
  '--mantine-color-accent-filled': 'var(--accent)',
  '--mantine-color-accent-filled-hover': 'var(--accent-hover)',
  '--mantine-color-accent-light': 'var(--accent-weak)',
  '--mantine-color-accent-light-hover': 'var(--accent-weak)',
  '--mantine-color-accent-light-color': 'var(--accent-text)',
  '--mantine-color-accent-outline': 'var(--accent-text)',
  '--mantine-color-accent-text': 'var(--accent-text)',
};

/** Maps Mantine's variables onto tokens.css, the single source of colour. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: fromTokens,
  dark: fromTokens,
});

/**
 * Returns true for windows narrower than 768 px, in which the page has one column and its controls are at the
 * bottom.
 */
export function useIsPhone(): boolean {
  return useMediaQuery('(max-width: 767.98px)', false, { getInitialValueInEffect: false });
}
