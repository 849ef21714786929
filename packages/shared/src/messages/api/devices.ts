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
  'GET /testbeds': viewer('List testbeds with the capabilities of each device', {
    response: itemsOf(http.testbedStatusSchema),
  }),
  'POST /testbeds/{id}/preflight': operator(
    'Run the pre-flight checks for a draft on every device; each failure includes a remedy',
    { ...ofTestbed, asks: true, body: experimentDraftSchema, response: http.preflightSchema },
  ),
  'GET /devices': viewer('List all known devices, connected or not', {
    response: itemsOf(devices.knownDeviceSchema),
  }),
  'POST /devices/import': administrator(
    'Install the agent on every device of an inventory, then create a testbed with them',
    { body: importDevicesSchema, response: importStateSchema, status: 201 },
  ),
  'GET /devices/import': viewer('Read the progress of the latest inventory import', {
    response: importStateSchema,
  }),
  'POST /devices/host-key': administrator(
    'Read the host key of an SSH server to compare it before trusting it; does not log in',
    { asks: true, body: devices.hostKeyRequestSchema, response: devices.hostKeyAnswerSchema },
  ),
  'POST /devices': administrator(
    'Install the agent on a device; repeating the request continues the last attempt',
    { body: devices.addDeviceSchema, response: devices.installationSchema, status: 201 },
  ),
  'GET /devices/{id}/installation': viewer(
    'Read the steps of the latest installation or removal on a device',
    { ...ofDevice, response: devices.installationSchema },
  ),
  'POST /devices/{id}/upgrade': administrator(
    "Upgrade the agent and Node.js on a device to this server's versions",
    { ...ofDevice, body: devices.changeDeviceSchema, response: devices.installationSchema },
  ),
  'POST /devices/{id}/drain': operator('Drain a device (no new runs), or resume it', {
    ...ofDevice,
    body: devices.drainDeviceSchema,
  }),
  'PUT /devices/{id}/host-key': administrator('Trust a new host key after the device was reinstalled', {
    ...ofDevice,
    body: devices.repinDeviceSchema,
  }),
  'DELETE /devices/{id}': administrator(
    'Uninstall the agent completely, or just remove an unreachable device from the list',
    { ...ofDevice, body: devices.removeDeviceSchema, response: devices.installationSchema.nullable() },
  ),
  'GET /devices/{id}/settings': viewer("Read a device's energy source, meter, supply and battery settings", {
    ...ofDevice,
    response: deviceSettingsSchema,
  }),
  'PUT /devices/{id}/settings': administrator("Set a device's energy source, meter, supply and battery", {
    ...ofDevice,
    body: deviceSettingsSchema,
    response: deviceSettingsSchema,
  }),
  'GET /devices/{id}/set-aside/{name}': viewer(
    'Download a result that this server refused, from the device that stores it',
    { params: z.strictObject({ id: devices.deviceIdSchema, name: z.string().min(1).max(80) }), file: json },
  ),
  'GET /enrolments': administrator('List enrolment tokens', { response: itemsOf(devices.enrolmentSchema) }),
  'POST /enrolments': administrator(
    'Create a token with which agents enrol in a pool; its secret is returned only once',
    {
      body: devices.newEnrolmentSchema,
      response: z.strictObject({ enrolment: devices.enrolmentSchema, secret: z.string() }),
      status: 201,
    },
  ),
  'DELETE /enrolments/{id}': administrator(
    'Revoke an enrolment token; enrolled agents remain enrolled',
    numbered,
  ),
  'POST /testbeds': administrator(
    'Create a testbed: the roles of its devices and the interfaces of its links',
    { body: devices.saveTestbedSchema, response: http.testbedStatusSchema, status: 201 },
  ),
  'PUT /testbeds/{id}': administrator('Change the roles and links of a testbed that is not in use', {
    ...ofDevice,
    body: devices.saveTestbedSchema,
    response: http.testbedStatusSchema,
  }),
  'DELETE /testbeds/{id}': administrator(
    'Delete a testbed that is not in use; its devices are kept',
    ofDevice,
  ),
  'GET /testbeds/{id}/external-broker': viewer("Read a testbed's external broker, without its password", {
    ...ofTestbed,
    response: externalBrokerSchema,
  }),
  'PUT /testbeds/{id}/external-broker': administrator(
    'Set the external broker of a testbed; an omitted password is kept unless the address, port or certificate authority changes',
    { ...ofTestbed, body: externalBrokerSettingsSchema, response: externalBrokerSchema },
  ),
  'DELETE /testbeds/{id}/external-broker': administrator(
    'Remove the external broker from a testbed; the broker itself is not affected',
    ofTestbed,
  ),
  'GET /testbeds/{id}/external-device': operator(
    "Read a testbed's external device with the settings of its program: password, payload key, CA certificate, addresses",
    { ...ofTestbed, response: externalDeviceAccessSchema },
  ),
  'PUT /testbeds/{id}/external-device': administrator(
    'Set the external device of a testbed: a publisher or subscriber without an agent; a new name creates a new password and key',
    { ...ofTestbed, body: externalDeviceSchema, response: externalDeviceAccessSchema },
  ),
  'DELETE /testbeds/{id}/external-device': administrator(
    'Remove the external device from a testbed, and its password',
    ofTestbed,
  ),
};
