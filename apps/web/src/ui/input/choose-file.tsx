import { Button, FileButton } from '@mantine/core';
import { IconFolderOpen } from '@tabler/icons-react';
import type { ReactElement } from 'react';

/** Opens the file chooser of the browser. */
export function ChooseFile({
  accept,
  onChoose,
}: {
  accept: string;
  onChoose: (file: File | null) => void;
}): ReactElement {
  return (
    <FileButton onChange={onChoose} accept={accept}>
      {(props) => (
        <Button
          {...props}
          variant="default"
          leftSection={<IconFolderOpen size={16} stroke={2} aria-hidden />}
        >
          Choose a file
        </Button>
      )}
    </FileButton>
  );
}
