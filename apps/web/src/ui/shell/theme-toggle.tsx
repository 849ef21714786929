import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconMoon, IconSun } from '@tabler/icons-react';
import type { ReactElement } from 'react';

export function ThemeToggle(): ReactElement {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const next = scheme === 'dark' ? 'light' : 'dark';
  const label = `Switch to ${next} colours`;
  return (
    <ActionIcon aria-label={label} title={label} onClick={() => setColorScheme(next)}>
      {scheme === 'dark' ? (
        <IconSun size={16} stroke={2} aria-hidden />
      ) : (
        <IconMoon size={16} stroke={2} aria-hidden />
      )}
    </ActionIcon>
  );
}
