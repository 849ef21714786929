import { issuesOf } from '@mqttlab/shared/domain/issue';
import { deviceNameSchema, hostSchema, userSchema } from '@mqttlab/shared/messages/devices';
import * as z from 'zod';
import type { FieldProblem } from '../../../ui/input/field.tsx';

const formSchema = z.object({
  name: deviceNameSchema,
  host: hostSchema,
  port: z
    .string()
    .regex(/^\d+$/, 'is no number')
    .refine((text) => Number(text) >= 1 && Number(text) <= 65_535, 'is no port'),
  user: userSchema,
});

const remedies: Readonly<Record<string, string>> = {
  name: 'Write one like pi-kitchen.',
  host: 'Write it like 192.168.1.5 or raspberrypi.local.',
  port: 'Mostly 22.',
  user: 'On Raspberry Pi OS it is the one that was made with the system, often pi.',
};

/** What is wrong with an address before anybody is asked, by field. */
export function addressProblems(form: z.input<typeof formSchema>): Record<string, FieldProblem> {
  const parsed = formSchema.safeParse(form);
  if (parsed.success) return {};
  return Object.fromEntries(
    issuesOf(parsed.error)
      .toReversed()
      .map(({ field, reason }) => [
        field,
        {
          what: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`,
          remedy: remedies[field] ?? 'Correct it.',
        },
      ]),
  );
}
