import * as z from 'zod';
import { externalBrokerSchema, externalBrokerSettingsSchema } from '../../domain/devices/external-broker.ts';
import { externalDeviceAccessSchema, externalDeviceSchema } from '../../domain/devices/external-device.ts';
import { experimentDraftSchema } from '../../domain/plans/experiment-draft.ts';
import { deviceSettingsSchema } from '../device-settings.ts';
import * as devices from '../devices.ts';
import * as http from '../http.ts';
import { importDevicesSchema, importStateSchema } from '../inventory.ts';
import { administrator, itemsOf, json, numbered, operator, viewer } from './endpoint.ts';

const ofDevice = { params: z.strictObject({ id: devices.deviceIdSchema }) } as const;
const ofTestbed = { params: z.strictObject({ id: z.string().min(1).max(80) }) } as const;

/** Testbeds and their devices. */
export const deviceEndpoints = {
  'GET /testbeds': viewer('List testbeds with what each device can do', {
    response: itemsOf(http.testbedStatusSchema),
  }),
  'POST /testbeds/{id}/preflight': operator(
    'Probe every device for this draft, with a fix for each failure',
    { ...ofTestbed, asks: true, body: experimentDraftSchema, response: http.preflightSchema },
  ),
  'GET /devices': viewer('List every device that is known, connected or not', {
    response: itemsOf(devices.knownDeviceSchema),
  }),
  'POST /devices/import': administrator(
    'Install the agent on every device of an inventory, then make a testbed of them',
    { body: importDevicesSchema, response: importStateSchema, status: 201 },
  ),
  'GET /devices/import': viewer('How far the last import of an inventory is', {
    response: importStateSchema,
  }),
  'POST /devices/host-key': administrator(
    'Show the host key of an SSH server, to compare it before it is trusted; does not log in',
    { asks: true, body: devices.hostKeyRequestSchema, response: devices.hostKeyAnswerSchema },
  ),
  'POST /devices': administrator(
    'Install the agent on a device; sent again, it goes on where the last attempt ended',
    { body: devices.addDeviceSchema, response: devices.installationSchema, status: 201 },
  ),
  'GET /devices/{id}/installation': viewer('Show the last installation on a device, step by step', {
    ...ofDevice,
    response: devices.installationSchema,
  }),
  'POST /devices/{id}/upgrade': administrator('Bring agent and Node on a device to those of this server', {
    ...ofDevice,
    body: devices.changeDeviceSchema,
    response: devices.installationSchema,
  }),
  'POST /devices/{id}/drain': operator('Drain a device (no new runs), or resume it', {
    ...ofDevice,
    body: devices.drainDeviceSchema,
  }),
  'PUT /devices/{id}/host-key': administrator(
    'Trust another host key, after the system of the device was reinstalled',
    { ...ofDevice, body: devices.repinDeviceSchema },
  ),
  'DELETE /devices/{id}': administrator(
    'Remove the agent without a trace, or only forget a device that is no longer reachable',
    { ...ofDevice, body: devices.removeDeviceSchema, response: devices.installationSchema.nullable() },
  ),
  'GET /devices/{id}/settings': viewer(
    'Energy source, meter, supply and battery that were set for a device',
    { ...ofDevice, response: deviceSettingsSchema },
  ),
  'PUT /devices/{id}/settings': administrator(
    'Set the energy source, meter, supply and battery of a device',
    { ...ofDevice, body: deviceSettingsSchema, response: deviceSettingsSchema },
  ),
  'GET /devices/{id}/set-aside/{name}': viewer(
    'Save a result that this server refused, from the device that keeps it',
    { params: z.strictObject({ id: devices.deviceIdSchema, name: z.string().min(1).max(80) }), file: json },
  ),
  'GET /enrolments': administrator('List what agents can enrol with', {
    response: itemsOf(devices.enrolmentSchema),
  }),
  'POST /enrolments': administrator(
    'Make a token with which agents enrol in a pool; its secret is shown this once',
    {
      body: devices.newEnrolmentSchema,
      response: z.strictObject({ enrolment: devices.enrolmentSchema, secret: z.string() }),
      status: 201,
    },
  ),
  'DELETE /enrolments/{id}': administrator('End an enrolment token; agents that enrolled stay', numbered),
  'POST /testbeds': administrator(
    'Set up a testbed: which device plays which role, and which interfaces make a link',
    { body: devices.saveTestbedSchema, response: http.testbedStatusSchema, status: 201 },
  ),
  'PUT /testbeds/{id}': administrator('Change roles and links of a testbed that is not in use', {
    ...ofDevice,
    body: devices.saveTestbedSchema,
    response: http.testbedStatusSchema,
  }),
  'DELETE /testbeds/{id}': administrator('Dissolve a testbed that is not in use; its devices stay', ofDevice),
  'GET /testbeds/{id}/external-broker': viewer(
    'Show the external broker of a testbed, without its password',
    { ...ofTestbed, response: externalBrokerSchema },
  ),
  'PUT /testbeds/{id}/external-broker': administrator(
    'Set the external broker of a testbed; an omitted password is kept, unless the broker has moved',
    { ...ofTestbed, body: externalBrokerSettingsSchema, response: externalBrokerSchema },
  ),
  'DELETE /testbeds/{id}/external-broker': administrator(
    'Forget the external broker of a testbed; nothing happens to the broker itself',
    ofTestbed,
  ),
  'GET /testbeds/{id}/external-device': operator(
    'Show the external device of a testbed, with all that its program needs: password, payload key, authority, addresses',
    { ...ofTestbed, response: externalDeviceAccessSchema },
  ),
  'PUT /testbeds/{id}/external-device': administrator(
    'Set the external device of a testbed: a publisher or subscriber without an agent; another name gets another password and key',
    { ...ofTestbed, body: externalDeviceSchema, response: externalDeviceAccessSchema },
  ),
  'DELETE /testbeds/{id}/external-device': administrator(
    'Forget the external device of a testbed, and its password',
    ofTestbed,
  ),
};
