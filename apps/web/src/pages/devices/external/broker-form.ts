import {
  type ExternalBroker,
  type ExternalBrokerSettings,
  externalBrokerSettingsSchema,
} from '@mqttlab/shared/domain/devices/external-broker';
import type { MqttVersion } from '@mqttlab/shared/domain/plans/trial-spec';
import { type PlaceOf, type ReadForm, readWith } from '../../../api/use-api-form.tsx';
import type { FieldProblem } from '../../../ui/input/field.tsx';

type SampledKind = 'nothing' | 'process' | 'unit';

/** Values of the fields, as typed. */
export type BrokerForm = {
  label: string;
  address: string;
  port: string;
  tlsPort: string;
  websocketPort: string;
  mqttVersions: readonly MqttVersion[];
  authority: string;
  serverName: string;
  username: string;
  /** If empty, the stored password is retained, provided that the broker's address is unchanged. */
  password: string;
  sampled: SampledKind;
  /** Name of the process or unit. */
  sampledName: string;
};

type FormField = Exclude<keyof BrokerForm, 'sampled'>;

const textOf = (value: string | number | null): string => (value === null ? '' : String(value));

/** Returns the form values of a broker. For null, returns a new broker with the default port. */
export function openForm(broker: ExternalBroker | null): BrokerForm {
  return {
    label: broker?.label ?? '',
    address: broker?.address ?? '',
    port: broker === null ? '1883' : textOf(broker.port),
    tlsPort: textOf(broker?.tlsPort ?? null),
    websocketPort: textOf(broker?.websocketPort ?? null),
    mqttVersions: broker?.mqttVersions ?? ['3.1.1', '5.0'],
    authority: broker?.authority ?? '',
    serverName: broker?.serverName ?? '',
    username: broker?.username ?? '',
    password: '',
    sampled: broker?.unit ? 'unit' : broker?.process ? 'process' : 'nothing',
    sampledName: broker?.unit ?? broker?.process ?? '',
  };
}

/** Returns the settings to send, or the problem with each field. */
export function readForm(form: BrokerForm): ReadForm<ExternalBrokerSettings> {
  const { sampled, sampledName, password, ...rest } = form;
  const wordOf = (text: string) => (text.trim() === '' ? null : text.trim());
  const portOf = (text: string) => (text.trim() === '' ? null : Number(text));
  const input = {
    label: rest.label.trim(),
    address: rest.address.trim(),
    port: portOf(rest.port),
    tlsPort: portOf(rest.tlsPort),
    websocketPort: portOf(rest.websocketPort),
    mqttVersions: [...rest.mqttVersions],
    authority: wordOf(rest.authority),
    serverName: wordOf(rest.serverName),
    username: wordOf(rest.username),
    ...(password === '' ? {} : { password }),
    process: sampled === 'process' ? sampledName.trim() : null,
    unit: sampled === 'unit' ? sampledName.trim() : null,
  };
  return readWith(externalBrokerSettingsSchema, input, placeBroker);
}

const remedies: Partial<Record<FormField, string>> = {
  label: 'Enter its name and version.',
  address: 'Enter an address such as 192.0.2.7 or broker.example.',
  port: 'Enter a port such as 1883, or leave it empty.',
  tlsPort: 'Enter a port such as 8883, or leave it empty.',
  websocketPort: 'Enter a port such as 8083, or leave it empty.',
  mqttVersions: 'Choose the MQTT versions it supports.',
  authority: 'Paste the PEM text, including the BEGIN CERTIFICATE and END CERTIFICATE lines.',
  serverName: 'Enter the DNS name or address that the broker’s certificate is issued for.',
  username: 'Enter the user name for this password.',
  password: 'Enter the password of this broker again.',
  sampledName: 'Enter a name such as beam.smp or nanomq.service.',
};

/** Process and unit share one form field. */
export const placeBroker: PlaceOf = ({ field: path, reason }) => {
  const [name = ''] = path.split(/[.[]/);
  const field = name === 'process' || name === 'unit' ? 'sampledName' : (name as FormField);
  return { field, problem: problemOfField(reason, remedies[field]) };
};

/** Combines the reason given by the server or the schema with the form's remedy. */
export function problemOfField(reason: string, remedy = 'Correct it and save again.'): FieldProblem {
  return { what: `This ${reason}.`, remedy };
}
