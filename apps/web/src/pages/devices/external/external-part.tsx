import { Button, VisuallyHidden } from '@mantine/core';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import { type Icon, IconDeviceFloppy, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import { useApi } from '../../../api/use-api.ts';
import { ActionButton } from '../../../ui/input/action-button.tsx';
import { IconButton } from '../../../ui/input/buttons.tsx';
import { Panel } from '../../../ui/panel.tsx';
import styles from './external.module.css';

type ExternalPartPanelProps = {
  testbed: TestbedStatus;
  /** Noun that follows "External": "broker". */
  noun: string;
  icon: Icon;
  subtitle: string | undefined;
  /** Additional buttons before the administrator's "Change" and "Remove" buttons. */
  actions: ReactNode;
  /** Facts of the part; null if none is set. */
  known: ReactNode;
  /** Description shown if none is set. */
  offer: string;
  onEdit: () => void;
  onRemove: () => void;
  /** Dialogs of the part. */
  children: ReactNode;
};

/** A part of a testbed without an agent: an external broker, or a device that cannot run an agent. */
export function ExternalPartPanel(props: ExternalPartPanelProps): ReactElement {
  const {
    testbed,
    noun,
    icon: PartIcon,
    subtitle,
    actions,
    known,
    offer,
    onEdit,
    onRemove,
    children,
  } = props;
  const isAdministrator = useApi('GET /session').data?.role === 'administrator';
  return (
    <Panel
      flush
      title={
        <>
          External {noun}
          {/* Every testbed has this panel, so the accessible name includes the testbed. */}
          <VisuallyHidden> of {testbed.name}</VisuallyHidden>
        </>
      }
      subtitle={subtitle}
      mark={<PartIcon className={styles.icon} size={16} stroke={2} aria-hidden />}
      actions={
        known !== null && (
          <>
            {actions}
            {isAdministrator && (
              <>
                <IconButton icon={IconPencil} label={`Change the external ${noun}`} onClick={onEdit} />
                <IconButton icon={IconTrash} label={`Remove the external ${noun}`} onClick={onRemove} />
              </>
            )}
          </>
        )
      }
    >
      {known ?? (
        <div className={styles.none}>
          <p>
            {offer}
            {!isAdministrator && ' Only an administrator can add one.'}
          </p>
          {isAdministrator && (
            <ActionButton icon={IconPlus} onClick={onEdit}>
              Set an external {noun}
            </ActionButton>
          )}
        </div>
      )}
      {children}
    </Panel>
  );
}

type SaveButtonsProps = { isPending: boolean; onCancel: () => void };

export function SaveButtons({ isPending, onCancel }: SaveButtonsProps): ReactElement {
  return (
    <>
      <Button variant="default" onClick={onCancel}>
        Cancel
      </Button>
      <ActionButton type="submit" variant="filled" icon={IconDeviceFloppy} loading={isPending}>
        Save
      </ActionButton>
    </>
  );
}
