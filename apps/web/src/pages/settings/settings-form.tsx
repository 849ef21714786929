import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { FormError } from '../../api/api-error-state.tsx';
import type { ApiForm } from '../../api/use-api-form.tsx';
import { DialogForm } from '../../ui/dialog.tsx';
import { TextFields, type TextSpec } from '../../ui/input/field.tsx';

type SettingsFormProps<Values> = {
  form: ApiForm<Values>;
  fields: readonly TextSpec<keyof Values & string>[];
  /** Label of the button: "Save storage settings". */
  action: string;
};

/** The text fields of a panel and the button that saves them. */
export function SettingsForm<Values>({ form, fields, action }: SettingsFormProps<Values>): ReactElement {
  return (
    <DialogForm
      onSubmit={form.submit}
      noValidate
      buttons={
        <Button type="submit" variant="default" loading={form.isPending}>
          {action}
        </Button>
      }
    >
      <TextFields of={fields} form={form} />
      <FormError error={form.error} lost="Nothing was saved." />
    </DialogForm>
  );
}
